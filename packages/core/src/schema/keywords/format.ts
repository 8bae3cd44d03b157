import { _, type Ajv, type KeywordCxt } from "ajv";
import { formatCheck, numberFormatCheck } from "../format/format.ts";
import { useFunction } from "./replace.ts";

/** Replaces Ajv's `format` by one that asserts the formats of this package. */
export function judgeFormats(ajv: Ajv): void {
  ajv.removeKeyword("format");
  ajv.addKeyword({
    keyword: "format",
    type: ["string", "number"],
    schemaType: "string",
    code(cxt: KeywordCxt, type?: string): void {
      const name: string = cxt.schema;
      const check = type === "number" ? numberFormatCheck(name) : formatCheck(name);
      if (check !== undefined) cxt.fail(_`!${useFunction(cxt, check)}(${cxt.data})`);
    },
  });
}
