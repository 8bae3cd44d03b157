import { type Decimal, isIntegral, parseDecimal } from "./decimal.ts";
import { pointerTokens, valueAt } from "./pointer.ts";
import type { LossyNumber } from "./range.ts";

/** Exact values of the numbers that doubles cannot hold, by RFC 6901 pointer. */
export type ExactDecimals = ReadonlyMap<string, Decimal>;

export const NO_DECIMALS: ExactDecimals = new Map();

/** Returns the exact values of the numbers that a scan reported. */
export function decimalsOf(numbers: readonly LossyNumber[]): ExactDecimals {
  const decimals = new Map<string, Decimal>();
  for (const { path, source } of numbers) decimals.set(path, parseDecimal(source));
  return decimals;
}

/** Returns a double of the same JSON Schema type as the decimal: `integer`, or only `number`. */
function standIn(value: number, exact: Decimal): number {
  if (!isIntegral(exact)) return Number.isFinite(value) && !Number.isInteger(value) ? value : 0.5;
  return Number.isFinite(value) ? value : exact.sign * Number.MAX_VALUE;
}

function isContainer(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

/**
 * Replaces, in place, numbers whose double has a different type than the decimal: `9007199254740993.5` parses to an
 * integer, `1e400` to infinity.
 * @param root the result of `JSON.parse` for the text that `decimals` was read from.
 * @returns `root`, or its replacement if it is such a number itself.
 */
export function restoreNumberTypes(root: unknown, decimals: ExactDecimals): unknown {
  for (const [pointer, exact] of decimals) {
    const tokens = pointerTokens(pointer);
    const last = tokens.pop();
    if (last === undefined) return typeof root === "number" ? standIn(root, exact) : root;
    const parent = valueAt(root, tokens)?.value;
    if (!isContainer(parent) || !Object.hasOwn(parent, last)) continue;
    const value = parent[last];
    if (typeof value !== "number") continue;
    // Assignment to a key `__proto__` would not set the object's own property.
    Object.defineProperty(parent, last, {
      value: standIn(value, exact),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return root;
}
