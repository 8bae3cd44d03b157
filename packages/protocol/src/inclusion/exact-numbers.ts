import {
  encodeUtf8,
  isObject,
  type LossyNumber,
  normaliseNumber,
  scanJson,
} from "@touchstone/core/advanced";

/** For longer numbers, no neighbors are tried. */
const MAX_DIGITS = 400;
/** How many numbers are tried. */
const MAX_NUMBERS = 40;

/** Returns the numbers of a JSON text that no double holds. */
export function lossyNumbers(text: string): readonly LossyNumber[] {
  return scanJson(encodeUtf8(text), { numbers: true }).lossyNumbers;
}

/**
 * Returns whether schemas can be compared with doubles in place of their numbers: each number is a double, or is whole
 * and the only one that becomes this double, so that doubles are in the same order. That is not enough to compare
 * `multipleOf`.
 * @param texts JSON texts of the schemas
 */
export function areFaithful(texts: readonly string[]): boolean {
  const counts = new Map<number, number>();
  const exact = new Map<number, string>();
  for (const { path, source } of texts.flatMap(lossyNumbers)) {
    const { negative, digits, exponent } = normaliseNumber(source);
    const double = Number(source);
    const key = `${negative}${digits}e${exponent}`;
    if (exponent < 0 || !Number.isFinite(double) || path.endsWith("/multipleOf")) return false;
    if ((exact.get(double) ?? key) !== key) return false;
    exact.set(double, key);
    counts.set(double, (counts.get(double) ?? 0) + 1);
  }
  if (exact.size === 0) return true;
  const waiting: unknown[] = texts.map((text) => JSON.parse(text));
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (typeof value === "number") {
      const count = counts.get(value);
      if (count === 0) return false;
      if (count !== undefined) counts.set(value, count - 1);
    } else if (Array.isArray(value)) waiting.push(...value);
    else if (isObject(value)) waiting.push(...Object.values(value));
  }
  return true;
}

/** Returns the numbers of JSON texts that no double holds, and their whole neighbors. */
export function exactNumbers(texts: readonly string[]): readonly string[] {
  const found = new Set<string>();
  for (const { source } of texts.flatMap(lossyNumbers)) {
    found.add(source);
    if (source.length > MAX_DIGITS || !/^-?\d+$/.test(source)) continue;
    for (const by of [1n, -1n]) found.add(String(BigInt(source) + by));
  }
  return [...found].slice(0, MAX_NUMBERS);
}

/** A placeholder for a number while a value is written. */
const MARK = "\u0000number";

/** Yields the JSON texts of a value with exact numbers where it has the doubles nearest to them. */
export function* withExactNumbers(
  value: unknown,
  numbers: readonly string[],
): Generator<string, void, void> {
  for (const number of numbers) {
    const double = Number(number);
    const text = JSON.stringify(value, (_, member) => (member === double ? MARK : member));
    const parts = text?.split(JSON.stringify(MARK)) ?? [];
    if (parts.length > 1) yield parts.join(number);
  }
}
