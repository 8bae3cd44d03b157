import { type Keyword, keyword } from "./keyword.ts";
import type { CountKeyword, SchemaNode } from "./node.ts";
import { fail } from "./run.ts";

/** A count that a schema asks for, as it is shown. */
export interface ShownCount {
  /** In the digits that the schema has: those of a double may differ. */
  readonly text: string;
  readonly exact: { readonly exact: string } | undefined;
}

/** @param value the count as a double */
export function shownCount(node: SchemaNode, name: CountKeyword, value: number): ShownCount {
  const text = node.exactCounts?.get(name);
  return text === undefined
    ? { text: String(value), exact: undefined }
    : { text, exact: { exact: text } };
}

type Bound = "more" | "fewer";

function counting(
  name: "maxItems" | "minItems" | "maxProperties" | "minProperties",
  appliesTo: "array" | "object",
  bound: Bound,
): Keyword {
  const noun = appliesTo === "array" ? "items" : "properties";
  return keyword({
    name,
    appliesTo,
    compile: (node) => {
      const limit = node[name];
      if (limit === undefined) return undefined;
      return (run, value, place) => {
        const count = Array.isArray(value)
          ? value.length
          : run.keysOf(value as Readonly<Record<string, unknown>>).length;
        if (bound === "more" ? count <= limit : count >= limit) return true;
        return fail(run, node, name, value, place, () => {
          const { text, exact } = shownCount(node, name, limit);
          const message = `must NOT have ${bound} than ${text} ${noun}`;
          return { message, params: { limit, ...exact } };
        });
      };
    },
  });
}

/** 2020-12 Validation, sections 6.4.1, 6.4.2, 6.5.1 and 6.5.2. */
export const maxItems: Keyword = counting("maxItems", "array", "more");
export const minItems: Keyword = counting("minItems", "array", "fewer");
export const maxProperties: Keyword = counting("maxProperties", "object", "more");
export const minProperties: Keyword = counting("minProperties", "object", "fewer");
