import type { Wanted } from "../../keywords/explain.ts";
import { typeOf } from "../issues/issue.ts";

/** Values that are listed of one place, at most. */
const MAX_VALUES = 1_000;

function isOf(value: unknown, types: readonly string[]): boolean {
  const type = typeOf(value);
  return types.includes(type) || (type === "integer" && types.includes("number"));
}

/**
 * What a type and a list of values that hold for the same place allow together: the values that have the type.
 * Undefined if no value does, or neither is a list of values.
 */
export function meet(a: Wanted, b: Wanted): Wanted | undefined {
  const [one, other] = a.values.length > 0 ? [a, b] : [b, a];
  if (one.values.length === 0 || one.types.length > 0 || other.values.length > 0) return undefined;
  const values = one.values.filter((value) => isOf(value, other.types));
  return values.length === 0 ? undefined : { types: [], values };
}

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
