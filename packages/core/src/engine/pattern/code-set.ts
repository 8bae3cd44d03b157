/**
 * A set of code points: inclusive ranges as `lo, hi, lo, hi, …`, ascending, with a gap of at least one code point
 * between them.
 */
export type CodeSet = readonly number[];

export const EMPTY_SET: CodeSet = [];

/** Makes a set from ranges in any order, which may overlap. */
export function codeSet(pairs: readonly (readonly [number, number])[]): CodeSet {
  const sorted = [...pairs].sort((a, b) => a[0] - b[0]);
  const out: number[] = [];
  for (const [lo, hi] of sorted) {
    const end = out.at(-1);
    if (end !== undefined && lo <= end + 1) out[out.length - 1] = Math.max(end, hi);
    else out.push(lo, hi);
  }
  return out;
}

/** Returns the ranges of a set. */
export function* rangesOf(set: CodeSet): Generator<readonly [number, number]> {
  for (let i = 0; i + 1 < set.length; i += 2) yield [set[i] ?? 0, set[i + 1] ?? 0];
}

export function unionOfSets(sets: readonly CodeSet[]): CodeSet {
  return codeSet(sets.flatMap((set) => [...rangesOf(set)]));
}

/** Returns everything from 0 to `max` that is not in the set. */
export function complement(set: CodeSet, max: number): CodeSet {
  const out: number[] = [];
  let from = 0;
  for (const [lo, hi] of rangesOf(set)) {
    if (lo > from) out.push(from, lo - 1);
    from = hi + 1;
  }
  if (from <= max) out.push(from, max);
  return out;
}

/** Returns whether the code point is in the set, in time logarithmic in the number of its ranges. */
export function hasCode(set: CodeSet, point: number): boolean {
  let from = 0;
  let to = set.length >> 1;
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((set[2 * middle + 1] ?? 0) < point) from = middle + 1;
    else to = middle;
  }
  const lo = set[2 * from];
  return lo !== undefined && lo <= point;
}
