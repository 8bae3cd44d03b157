import { _, type Ajv, type Code, type KeywordCxt } from "ajv";
import { isExcess, measureValue } from "../../json/measure.ts";
import { replaceKeyword, useFunction } from "./replace.ts";

/** Keywords that look at every item, at every member, at every character. */
const ITEMS = ["items", "prefixItems", "contains"] as const;
const MEMBERS = [
  "additionalProperties",
  "patternProperties",
  "propertyNames",
  "minProperties",
  "maxProperties",
] as const;
const CHARACTERS = ["format", "minLength", "maxLength"] as const;

/** What is compared whole is not larger than this, or is no work for a quick verdict. */
const MAX_COMPARED = 1_000_000;

function members(value: object): number {
  return Object.keys(value).length;
}

function size(value: unknown): number {
  const measured = measureValue(value, MAX_COMPARED, MAX_COMPARED);
  return isExcess(measured) ? Number.POSITIVE_INFINITY : measured;
}

/**
 * Lets generated code tell how many places of a value it goes to, before it does. What is not told
 * is bounded by the schema: keywords on one place, the names in `properties`, nesting without a
 * `$ref`.
 * @param work is given a number of places; eight characters are one. May throw to end the run.
 */
export function tellWork(ajv: Ajv, work: (places: number) => void): void {
  const tell = (keyword: string, places: (cxt: KeywordCxt) => Code | undefined): void => {
    replaceKeyword(ajv, keyword, (original) => ({
      code(cxt, type): void {
        const count = type === "number" ? undefined : places(cxt);
        if (count !== undefined) cxt.gen.code(_`${useFunction(cxt, work)}(${count})`);
        original(cxt, type);
      },
    }));
  };
  for (const keyword of ITEMS) tell(keyword, ({ data }) => _`${data}.length`);
  // A boolean schema ends the loop at the first name that matters, or there is none.
  for (const keyword of MEMBERS) {
    tell(keyword, (cxt) =>
      typeof cxt.schema === "boolean" ? undefined : _`${useFunction(cxt, members)}(${cxt.data})`,
    );
  }
  for (const keyword of CHARACTERS) tell(keyword, ({ data }) => _`${data}.length >> 3`);
  tell("uniqueItems", (cxt) => _`${useFunction(cxt, size)}(${cxt.data})`);
  tell("$ref", () => _`1`);
}
