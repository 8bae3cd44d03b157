import type { Decimal } from "./decimal.ts";
import { type ExactDecimals, NO_DECIMALS } from "./exact.ts";
import { joinPointer, pointerTokens } from "./pointer.ts";

/**
 * Exact numbers by the path that leads to them, one level for each reference token. Pointers would have to be built
 * and hashed for every number of a value. The tree is instead walked along with the value, and the walk ends as soon
 * as there are no exact numbers below.
 */
export interface ExactTree {
  /** The exact value of the number at this place. */
  readonly exact?: Decimal;
  readonly below?: ReadonlyMap<string, ExactTree>;
}

interface Growing {
  exact?: Decimal;
  below?: Map<string, Growing>;
}

/** Builds a tree of the numbers; undefined if there are none. */
export function buildExactTree(decimals: ExactDecimals | undefined): ExactTree | undefined {
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

/** Returns the subtree for one more token. */
export function exactSubtree(
  tree: ExactTree | undefined,
  token: string | number,
): ExactTree | undefined {
  return tree?.below?.get(typeof token === "number" ? String(token) : token);
}

/** Returns the numbers of a tree, by pointers relative to it. */
export function decimalsOfTree(tree: ExactTree): ExactDecimals {
  const found = new Map<string, Decimal>();
  const pending: [string, ExactTree][] = [["", tree]];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [pointer, { exact, below = [] }] = next;
    if (exact !== undefined) found.set(pointer, exact);
    for (const [token, child] of below) pending.push([joinPointer(pointer, token), child]);
  }
  return found;
}

/** Returns the numbers of a tree at an RFC 6901 pointer or below it, by pointers relative to that place. */
export function decimalsAt(tree: ExactTree | undefined, pointer: string): ExactDecimals {
  let at = tree;
  for (const token of pointerTokens(pointer)) at = exactSubtree(at, token);
  return at === undefined ? NO_DECIMALS : decimalsOfTree(at);
}
