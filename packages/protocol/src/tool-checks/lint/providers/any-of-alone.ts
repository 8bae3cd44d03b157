import { type JsonObject, joinPointer } from "@touchstone/core/advanced";
import { quotedAuthorText } from "../finding.ts";
import type { PlaceRule } from "./provider.ts";

/** Returns the keywords beside `anyOf`; none if there is no `anyOf`. */
export function keywordsBesideAnyOf(schema: JsonObject): readonly string[] {
  if (!Array.isArray(schema["anyOf"])) return [];
  return Object.keys(schema).filter((keyword) => keyword !== "anyOf");
}

/** `anyOf` must be the only keyword of its schema. */
export const anyOfAlone: PlaceRule = ({ schema }) =>
  keywordsBesideAnyOf(schema).map((keyword) => ({
    at: joinPointer("", keyword),
    message: `${quotedAuthorText(keyword)} is next to anyOf, which must be the only keyword of its schema`,
    fix: "Put it into each branch, or leave it out.",
  }));
