import type { Kind, SchemaParts } from "./schema-parts.ts";

interface Bound {
  readonly value: number;
  readonly isOpen: boolean;
}

/** Returns the tightest lower bound that the parts set for numbers. */
export function lowerBound(parts: SchemaParts, kinds: ReadonlySet<Kind>): Bound {
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

/** Returns the tightest upper bound that the parts set for numbers. */
export function upperBound(parts: SchemaParts, kinds: ReadonlySet<Kind>): Bound {
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
export function isBoundWithin(bound: Bound, limit: number, isOpen: boolean, by: 1 | -1): boolean {
  if (bound.value === limit) return bound.isOpen || !isOpen;
  return by * (bound.value - limit) > 0;
}

/** Returns whether every number that is a multiple of all of some numbers is a multiple of another. */
export function areMultiples(numbers: readonly number[], of: number): boolean {
  const [wanted, ...all] = [of, ...numbers].map(decimalOf);
  if (wanted === undefined || wanted.units <= 0n) return false;
  const known = all.flatMap((one) => (one === undefined || one.units <= 0n ? [] : [one]));
  // Converts all numbers to whole numbers of the smallest unit.
  const scale = Math.max(wanted.scale, ...known.map((one) => one.scale));
  if (scale > MAX_SCALE) return false;
  const whole = ({ units, scale: own }: Decimal): bigint => units * 10n ** BigInt(scale - own);
  const [first, ...rest] = known.map(whole);
  if (first === undefined) return false;
  const least = rest.reduce((one, other) => (one / divisorOf(one, other)) * other, first);
  return least % whole(wanted) === 0n;
}

/** A decimal: `units` divided by ten to the power of `scale`. */
interface Decimal {
  readonly units: bigint;
  readonly scale: number;
}

const MAX_SCALE = 400;

function decimalOf(number: number): Decimal | undefined {
  const [, digits = "", fraction = "", exponent = "0"] =
    /^(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(number)) ?? [];
  if (digits === "") return undefined;
  const scale = fraction.length - Number(exponent);
  const units = BigInt(digits + fraction);
  return scale >= 0 ? { units, scale } : { units: units * 10n ** BigInt(-scale), scale: 0 };
}

function divisorOf(one: bigint, other: bigint): bigint {
  return other === 0n ? one : divisorOf(other, one % other);
}
