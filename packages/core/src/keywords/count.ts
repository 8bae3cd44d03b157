import { decimalText } from "../json/decimal.ts";
import { countText } from "./explain.ts";
import { type Keyword, keyword } from "./keyword.ts";
import type { NodeDraft, SchemaNode } from "./node.ts";
import { reportFailure } from "./run.ts";
import { COUNT_SHAPE, type SchemaReader } from "./shape.ts";

/** The keywords whose value limits a count. */
export type CountKeyword =
  | "maxLength"
  | "minLength"
  | "maxItems"
  | "minItems"
  | "maxProperties"
  | "minProperties"
  | "maxContains"
  | "minContains";

declare module "./node.ts" {
  interface SchemaNode {
    readonly maxItems?: number;
    readonly minItems?: number;
    readonly maxProperties?: number;
    readonly minProperties?: number;
    /** The digits of counts that no double holds. */
    readonly exactCounts?: ReadonlyMap<CountKeyword, string>;
  }
}

/** Reads a count keyword, with its digits if no double holds it. */
export function readCount(name: CountKeyword): (node: NodeDraft, from: SchemaReader) => void {
  return (node, from) => {
    const count = COUNT_SHAPE.read(from, name);
    if (count === undefined) return;
    node[name] = count;
    const exact = from.exact(name)?.exact;
    const text = exact && decimalText(exact);
    if (text !== undefined) node.exactCounts = new Map([...(node.exactCounts ?? []), [name, text]]);
  };
}

/** A count that a schema requires, in the form in which it is displayed. */
export interface ShownCount {
  /** The digits as in the schema: those of a double may differ. */
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
  const [one, noun] = appliesTo === "array" ? ["item", "items"] : ["property", "properties"];
  return keyword({
    name,
    vocabulary: "validation",
    since: "draft-04",
    shape: COUNT_SHAPE,
    appliesTo,
    explain: {
      demand: ({ params: { limit, exact } }) =>
        `must have at ${bound === "more" ? "most" : "least"} ${countText(one, noun, limit, exact)}`,
      received: appliesTo === "array" ? "length" : "members",
    },
    read: readCount(name),
    compile: (node) => {
      const limit = node[name];
      if (limit === undefined) return undefined;
      return (run, value, place) => {
        const count = Array.isArray(value)
          ? value.length
          : run.keysOf(value as Readonly<Record<string, unknown>>).length;
        if (bound === "more" ? count <= limit : count >= limit) return true;
        return reportFailure(run, node, name, value, place, () => {
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
