import type { Decimal } from "./decimal.ts";
import { type Decimals, NO_DECIMALS } from "./exact.ts";
import { joinPointer, pointerTokens } from "./pointer.ts";

/**
 * Exact numbers by the way that leads to them, one level for each reference token. A pointer as
 * text would have to be made, and hashed, for every number of a value; here the way is walked along
 * with the value, and ends at once if no exact number is further on.
 */
export interface ExactTree {
  /** The exact value of the number that is here. */
  readonly exact?: Decimal;
  readonly below?: ReadonlyMap<string, ExactTree>;
}

interface Growing {
  exact?: Decimal;
  below?: Map<string, Growing>;
}

/** Makes a tree of the numbers; undefined if there are none. */
export function exactTree(decimals: Decimals | undefined): ExactTree | undefined {
  if (decimals === undefined || decimals.size === 0) return undefined;
  const root: Growing = {};
  for (const [pointer, exact] of decimals) {
    let at = root;
    for (const token of pointerTokens(pointer)) {
      at.below ??= new Map();
      const next: Growing = at.below.get(token) ?? {};
      at.below.set(token, next);
      at = next;
    }
    at.exact = exact;
  }
  return root;
}

/** Returns the part of a tree that is behind one more token. */
export function exactBelow(
  tree: ExactTree | undefined,
  token: string | number,
): ExactTree | undefined {
  return tree?.below?.get(typeof token === "number" ? String(token) : token);
}

/** Returns the numbers of a tree, by pointers that start at it. */
export function decimalsBelow(tree: ExactTree): Decimals {
  const found = new Map<string, Decimal>();
  const pending: [string, ExactTree][] = [["", tree]];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [pointer, { exact, below = [] }] = next;
    if (exact !== undefined) found.set(pointer, exact);
    for (const [token, child] of below) pending.push([joinPointer(pointer, token), child]);
  }
  return found;
}

/** Returns the numbers of a tree that are at an RFC 6901 pointer or below it, by pointers that start there. */
export function decimalsAt(tree: ExactTree | undefined, pointer: string): Decimals {
  let at = tree;
  for (const token of pointerTokens(pointer)) at = exactBelow(at, token);
  return at === undefined ? NO_DECIMALS : decimalsBelow(at);
}
