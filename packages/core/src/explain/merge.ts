import type { Wanted } from "./fact.ts";

/** Values that are listed of one place, at most. */
const MAX_VALUES = 1_000;

/** What any of several wishes allows: each type and value once, `integer` only without `number`. */
export function merge(wishes: readonly Wanted[]): Wanted {
  const types = new Set(wishes.flatMap((wanted) => wanted.types));
  if (types.has("number")) types.delete("integer");
  const values = new Map<string, unknown>();
  for (const { values: some } of wishes) {
    for (const value of some) {
      if (values.size >= MAX_VALUES) break;
      values.set(JSON.stringify(value) ?? "", value);
    }
  }
  return { types: [...types], values: [...values.values()] };
}
