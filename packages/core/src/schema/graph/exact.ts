import type { Decimal } from "../../json/decimal.ts";
import type { Decimals } from "../../json/exact.ts";
import { joinPointer } from "../../json/pointer.ts";

/** The numbers of a text that are no doubles, as a tree of the reference tokens that lead to them. */
export interface ExactTree {
  readonly decimal?: Decimal;
  readonly below: ReadonlyMap<string, ExactTree>;
}

interface Growing {
  decimal?: Decimal;
  readonly below: Map<string, Growing>;
}

/** The tree of some decimals; `undefined` where there are none. */
export function exactTree(decimals: Decimals): ExactTree | undefined {
  if (decimals.size === 0) return undefined;
  const root: Growing = { below: new Map() };
  for (const [pointer, decimal] of decimals) {
    let at = root;
    for (const token of pointer.split("/").slice(1)) {
      const name = token.replaceAll("~1", "/").replaceAll("~0", "~");
      const next = at.below.get(name) ?? { below: new Map<string, Growing>() };
      at.below.set(name, next);
      at = next;
    }
    at.decimal = decimal;
  }
  return root;
}

/** The decimals of a tree, by pointers that start at it. */
export function decimalsBelow(tree: ExactTree): Decimals {
  const found = new Map<string, Decimal>();
  const pending: [string, ExactTree][] = [["", tree]];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [pointer, { decimal, below }] = next;
    if (decimal !== undefined) found.set(pointer, decimal);
    for (const [token, child] of below) pending.push([joinPointer(pointer, token), child]);
  }
  return found;
}
