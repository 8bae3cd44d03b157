import type { CountKeyword, SchemaNode } from "../../graph/node.ts";

/** A count that a schema asks for, as it is told. */
export interface ShownCount {
  /** In the digits that the schema has: those of a double may be others. */
  readonly text: string;
  readonly exact: { readonly exact: string } | undefined;
}

/** @param value the count as a double */
export function shownCount(node: SchemaNode, keyword: CountKeyword, value: number): ShownCount {
  const text = node.exactCounts?.get(keyword);
  return text === undefined
    ? { text: String(value), exact: undefined }
    : { text, exact: { exact: text } };
}
