import { isObject } from "@touchstone/core/advanced";
import { NON_CONSTRAINING_KEYWORDS } from "./form.ts";

/**
 * Returns whether a schema has keywords that its dialect ignores but later ones do not: those beside `$ref` until
 * draft-07, and `const` in draft-04. What it accepts is then not what it seems to say.
 */
export function hasIgnoredKeywords(schema: unknown): boolean {
  const dialect = isObject(schema) ? schema["$schema"] : undefined;
  const [, draft] = /json-schema\.org\/draft-0([467])\//.exec(String(dialect)) ?? [];
  if (draft === undefined) return false;
  const waiting: unknown[] = [schema];
  while (waiting.length > 0) {
    const part = waiting.pop();
    if (isObject(part)) {
      const keywords = Object.keys(part);
      const isReference = typeof part["$ref"] === "string";
      const saysMore = keywords.some(
        (keyword) => keyword !== "$ref" && !NON_CONSTRAINING_KEYWORDS.has(keyword),
      );
      if (isReference && saysMore) return true;
      if (draft === "4" && keywords.includes("const")) return true;
    }
    if (typeof part === "object" && part !== null) {
      for (const inside of Object.values(part)) waiting.push(inside);
    }
  }
  return false;
}
