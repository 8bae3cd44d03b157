import { compileDeclared } from "../../../compile.ts";
import { encodeUtf8 } from "../../../json/text.ts";
import type { PathStyle } from "../../issues/issue.ts";
import type { CheckedDocument, UnreadDocument } from "../document.ts";

export const SCHEMA = {
  type: "object",
  properties: { city: { type: "string" }, n: { type: "integer" } },
  required: ["city"],
  additionalProperties: false,
};

/** A document that was checked against a schema, with its text. */
export function checked(
  name: string,
  text: string,
  schema: unknown = SCHEMA,
  paths: PathStyle = "field",
): CheckedDocument {
  const bytes = encodeUtf8(text);
  return { name, bytes, check: compileDeclared({ value: schema }).validateText(bytes, { paths }) };
}

export const BAD: CheckedDocument = checked("a b.json", '{\n  "town\\u202e": 1,\n\t"n": "5"\n}');
export const GOOD: CheckedDocument = checked("good.json", '{"city":"x","n":1.0}');
export const LOSSY: CheckedDocument = checked("lossy.json", '{"city":"x","n":9007199254740993}');
export const BROKEN: CheckedDocument = checked("broken.json", '{"city":\n  nope}');
export const UNREAD: UnreadDocument = {
  name: "gone.json",
  unread: "gone.json cannot be read: there is no such file\u202e",
};
