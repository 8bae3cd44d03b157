import { compareDecimals, decimalKey, decimalOf } from "./decimal.ts";
import type { Decimals } from "./exact.ts";
import { joinPointer } from "./pointer.ts";

/** A JSON value, with the exact values of those of its numbers that a double cannot hold. */
export interface ExactValue {
  readonly value: unknown;
  readonly decimals: Decimals;
  /** The pointer, in `decimals`, to `value`. */
  readonly path: string;
}

function sameNumber(
  a: number,
  b: number,
  pa: string,
  pb: string,
  da: Decimals,
  db: Decimals,
): boolean {
  const exactA = da.get(pa);
  const exactB = db.get(pb);
  if (exactA === undefined && exactB === undefined) return a === b;
  return compareDecimals(exactA ?? decimalOf(a), exactB ?? decimalOf(b)) === 0;
}

/**
 * Equality of two JSON values (JSON Schema 2020-12 Core, section 4.2.2), numbers as doubles. Only
 * own keys count, so that a key `toString` or `__proto__` is one like any other.
 */
export function equalJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    return a.every((item, i) => equalJson(item, b[i]));
  }
  const left = a as Record<string, unknown>;
  const right = b as Record<string, unknown>;
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length) return false;
  return keys.every((key) => Object.hasOwn(right, key) && equalJson(left[key], right[key]));
}

/** {@link equalJson}, with numbers by their exact decimal values. */
export function equalExact(a: ExactValue, b: ExactValue): boolean {
  if (a.decimals.size === 0 && b.decimals.size === 0) return equalJson(a.value, b.value);
  const { decimals: da } = a;
  const { decimals: db } = b;
  function same(x: unknown, y: unknown, px: string, py: string): boolean {
    if (typeof x === "number" && typeof y === "number") return sameNumber(x, y, px, py, da, db);
    if (typeof x !== "object" || typeof y !== "object" || x === null || y === null) return x === y;
    if (Array.isArray(x) !== Array.isArray(y)) return false;
    const left = x as Record<string, unknown>;
    const right = y as Record<string, unknown>;
    const keys = Object.keys(left);
    if (keys.length !== Object.keys(right).length) return false;
    return keys.every(
      (key) =>
        Object.hasOwn(right, key) &&
        same(left[key], right[key], joinPointer(px, key), joinPointer(py, key)),
    );
  }
  return same(a.value, b.value, a.path, b.path);
}

/**
 * Text that is the same for equal JSON values (by {@link equalExact}) and differs for others:
 * members in the order of their names, numbers as decimals.
 */
export function jsonKey({ value, decimals, path }: ExactValue): string {
  function key(x: unknown, at: string): string {
    if (typeof x === "number") {
      return Number.isFinite(x) ? decimalKey(decimals.get(at) ?? decimalOf(x)) : String(x);
    }
    if (typeof x === "string") return JSON.stringify(x);
    if (typeof x !== "object" || x === null) return String(x);
    if (Array.isArray(x)) return `[${x.map((item, i) => key(item, below(at, i))).join()}]`;
    const object = x as Record<string, unknown>;
    const members = Object.keys(object).sort();
    return `{${members.map((name) => `${JSON.stringify(name)}:${key(object[name], below(at, name))}`).join()}}`;
  }
  const below = (at: string, token: string | number): string =>
    decimals.size === 0 ? "" : joinPointer(at, token);
  return key(value, path);
}

/**
 * Finds two equal items in time linear in the size of the array.
 * @returns the indices of the last item that an earlier one equals, and of the nearest such one.
 */
export function findDuplicate(array: ExactValue): { i: number; j: number } | undefined {
  const { value, decimals, path } = array;
  if (!Array.isArray(value)) return undefined;
  const exact = decimals.size > 0;
  const primitives = new Map<unknown, number>();
  const others = new Map<string, number>();
  let found: { i: number; j: number } | undefined;
  for (let i = 0; i < value.length; i++) {
    const item: unknown = value[i];
    const keyed =
      (typeof item === "object" && item !== null) || (exact && typeof item === "number");
    const seen: Map<unknown, number> = keyed ? others : primitives;
    const key = keyed
      ? jsonKey({ value: item, decimals, path: exact ? `${path}/${i}` : "" })
      : item;
    const j = seen.get(key);
    if (j !== undefined) found = { i, j };
    seen.set(key, i);
  }
  return found;
}
