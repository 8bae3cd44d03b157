import { lowerBound, upperBound } from "./number-bounds.ts";
import type { Kind, SchemaParts } from "./schema-parts.ts";

/** How many numbers are tried at one place. */
const MAX_NUMBERS = 24;
/** How many multiples are tried on each side. */
const MULTIPLES = 12;

/** Requirements on a number in addition to those of the parts. */
export interface NumberRequirements {
  readonly kind: "integer" | "fraction";
  /** Numbers of which it may not be a multiple. */
  readonly notMultiples: readonly number[];
  readonly isForbidden: (value: number) => boolean;
  /** How many whole numbers to make in addition to the usual ones, for lists without repeats. */
  readonly more?: number;
}

/** Returns a slightly larger number: the next whole number after a whole one, else the next double. */
function above(value: number): number {
  if (Number.isInteger(value) && value + 1 > value) return value + 1;
  return value > 0 ? value * (1 + Number.EPSILON) : value * (1 - Number.EPSILON / 2);
}

const isMultipleOf = (value: number, of: number): boolean => {
  const times = value / of;
  return Math.abs(times - Math.round(times)) <= Math.abs(times) * Number.EPSILON;
};

/** Returns numbers within the bounds of the parts, as near to them as there are. */
export function numbersOf(parts: SchemaParts, wanted: NumberRequirements): readonly number[] {
  const { kind, notMultiples, isForbidden, more = 0 } = wanted;
  const kinds: ReadonlySet<Kind> = new Set<Kind>([kind]);
  const [low, high] = [lowerBound(parts, kinds), upperBound(parts, kinds)];
  const least = low.isOpen ? above(low.value) : low.value;
  const most = high.isOpen ? -above(-high.value) : high.value;
  const multiples = parts.flatMap(({ multipleOf }) =>
    typeof multipleOf === "number" && multipleOf > 0 ? [multipleOf] : [],
  );
  const ends = [least, most].filter(Number.isFinite);
  const middle = ends.length === 2 ? [(least + most) / 2, least / 2 + most / 2] : [];
  const start = ends[0] ?? 0;
  const near = (by: number): number[] => [start + by, start - by, ...ends.map((end) => end - by)];
  const made = [
    ...(ends.length === 0 || kind === "fraction" ? [] : ends),
    ...(kind === "integer" ? [0, 1, ...near(1), -1] : [0.5, ...near(0.5), 1.5, -0.5, ...ends]),
    ...middle,
    ...middle.map(Math.round),
    ...[...multiples, ...notMultiples].flatMap((of) => [
      ...[0.5, 1.5, 0.25].map((times) => times * of),
      ...Array.from({ length: MULTIPLES }, (_, at) => (at + 1) * of),
      ...Array.from({ length: MULTIPLES }, (_, at) => -(at + 1) * of),
      ...ends.flatMap((end) => [Math.ceil(end / of) * of, Math.floor(end / of) * of]),
      ...ends.flatMap((end) => [end + of / 2, end - of / 2]),
    ]),
    ...ends.map((end) => end * 2),
    ...Array.from({ length: more }, (_, at) => start + at),
  ];
  const fits = (value: number): boolean =>
    Number.isFinite(value) &&
    Number.isInteger(value) === (kind === "integer") &&
    (low.isOpen ? value > low.value : value >= low.value) &&
    (high.isOpen ? value < high.value : value <= high.value) &&
    multiples.every((of) => isMultipleOf(value, of)) &&
    !notMultiples.some((of) => isMultipleOf(value, of)) &&
    !isForbidden(value);
  return [...new Set(made.map((value) => (value === 0 ? 0 : value)))]
    .filter(fits)
    .slice(0, MAX_NUMBERS + more);
}
