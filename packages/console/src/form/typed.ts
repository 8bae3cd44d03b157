import { type JsonTree, readTree } from "../json/tree.ts";

/** What was typed as a value: JSON where it is some, else a string; nothing where it is empty. */
export function typedTree(typed: string): JsonTree | undefined {
  if (typed.trim() === "") return undefined;
  const read = readTree(typed);
  return read.ok ? read.tree : { kind: "scalar", text: JSON.stringify(typed) };
}
