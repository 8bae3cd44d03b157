import type { Kind, Parts } from "./schema-parts.ts";

interface Bound {
  readonly value: number;
  readonly isOpen: boolean;
}

/** Returns the tightest lower bound of numbers. */
export function lowest(parts: Parts, kinds: ReadonlySet<Kind>): Bound {
  let bound: Bound = { value: Number.NEGATIVE_INFINITY, isOpen: false };
  for (const { minimum, exclusiveMinimum } of parts) {
    if (typeof minimum === "number" && minimum > bound.value)
      bound = { value: minimum, isOpen: false };
    if (typeof exclusiveMinimum === "number" && exclusiveMinimum >= bound.value) {
      bound = { value: exclusiveMinimum, isOpen: true };
    }
  }
  if (kinds.has("fraction")) return bound;
  const whole = bound.isOpen ? Math.floor(bound.value) + 1 : Math.ceil(bound.value);
  return Number.isSafeInteger(whole) ? { value: whole, isOpen: false } : bound;
}

/** Returns the tightest upper bound of numbers. */
export function highest(parts: Parts, kinds: ReadonlySet<Kind>): Bound {
  let bound: Bound = { value: Number.POSITIVE_INFINITY, isOpen: false };
  for (const { maximum, exclusiveMaximum } of parts) {
    if (typeof maximum === "number" && maximum < bound.value)
      bound = { value: maximum, isOpen: false };
    if (typeof exclusiveMaximum === "number" && exclusiveMaximum <= bound.value) {
      bound = { value: exclusiveMaximum, isOpen: true };
    }
  }
  if (kinds.has("fraction")) return bound;
  const whole = bound.isOpen ? Math.ceil(bound.value) - 1 : Math.floor(bound.value);
  return Number.isSafeInteger(whole) ? { value: whole, isOpen: false } : bound;
}

/** Returns whether all numbers within a bound are within a limit. */
export function isBeyond(bound: Bound, limit: number, isOpen: boolean, by: 1 | -1): boolean {
  if (bound.value === limit) return bound.isOpen || !isOpen;
  return by * (bound.value - limit) > 0;
}

/** Returns whether all multiples of a number are multiples of another. */
export function isMultiple(number: number, of: number): boolean {
  if (number === of) return true;
  return Number.isSafeInteger(number) && Number.isSafeInteger(of) && of !== 0 && number % of === 0;
}
