import { type CodeSet, codeSet, hasCode, rangesOf } from "./code-set.ts";

/**
 * The symbols that texts consist of, the same for patterns in both modes of ECMA-262. A symbol is a code unit; a
 * surrogate in a pair is another symbol than a lone surrogate. In Unicode mode, a character beyond the basic plane is
 * two symbols.
 */
const PAIRED = 0x10000;
const HIGH = [0xd800, 0xdbff] as const;
const LOW = [0xdc00, 0xdfff] as const;
const LAST_UNIT = 0xffff;

export const LONE_HIGH: CodeSet = HIGH;
export const LONE_LOW: CodeSet = LOW;
export const PAIRED_HIGH: CodeSet = HIGH.map((unit) => unit + PAIRED);
export const PAIRED_LOW: CodeSet = LOW.map((unit) => unit + PAIRED);

/** Returns the code unit of a symbol. */
export function codeUnitOf(symbol: number): number {
  return symbol > LAST_UNIT ? symbol - PAIRED : symbol;
}

type Range = readonly [number, number];

/** A set of characters, expressed in symbols: one symbol of `single`, or the two of a pair. */
export interface SymbolSets {
  readonly single: CodeSet;
  readonly pairs: readonly { readonly high: CodeSet; readonly low: CodeSet }[];
}

/** Returns a set of characters, or of code units without Unicode mode, in symbols. */
export function symbolSets(set: CodeSet, unicode: boolean): SymbolSets {
  const ranges = [...rangesOf(set)];
  if (!unicode) {
    const paired = ranges.flatMap(([from, to]) => {
      const [low, high] = [Math.max(from, HIGH[0]), Math.min(to, LOW[1])];
      return low <= high ? [[low + PAIRED, high + PAIRED] as const] : [];
    });
    return { single: codeSet([...ranges, ...paired]), pairs: [] };
  }
  const plane = ranges.flatMap(([from, to]) =>
    from <= LAST_UNIT ? [[from, Math.min(to, LAST_UNIT)] as const] : [],
  );
  const lows = new Map<number, Range[]>();
  for (const [from, to] of ranges) {
    if (to <= LAST_UNIT) continue;
    const [first, firstLow] = halves(Math.max(from, LAST_UNIT + 1));
    const [last, lastLow] = halves(to);
    for (let high = first; high <= last; high += 1) {
      const low = [high === first ? firstLow : LOW[0], high === last ? lastLow : LOW[1]] as const;
      const known = lows.get(high);
      if (known === undefined) lows.set(high, [low]);
      else known.push(low);
    }
  }
  // High surrogates with the same set of low surrogates are grouped: most have the same set.
  const highs = new Map<string, { low: CodeSet; high: Range[] }>();
  for (const [high, low] of lows) {
    const key = low.join();
    const known = highs.get(key) ?? { low: codeSet(low), high: [] };
    known.high.push([high + PAIRED, high + PAIRED]);
    highs.set(key, known);
  }
  const pairs = [...highs.values()].map(({ high, low }) => ({
    high: codeSet(high),
    low: low.map((unit) => unit + PAIRED),
  }));
  return { single: codeSet(plane), pairs };
}

function halves(point: number): readonly [number, number] {
  const rest = point - 0x10000;
  return [HIGH[0] + (rest >> 10), LOW[0] + (rest & 0x3ff)];
}

/** A class of symbols that are in the same sets. */
export interface SymbolClass {
  /** A symbol of the class, a readable one if there is any. */
  readonly symbol: number;
  /** For each set, whether it contains the symbols of the class. */
  readonly within: readonly boolean[];
}

/** Characters to show, the preferred ones first. */
const READABLE: readonly number[] = [..."ab1A0-_ .z9B2Zc/@:,"].map((one) => one.charCodeAt(0));

/** Returns all symbols in classes, the readable ones first. */
export function symbolClasses(sets: readonly CodeSet[]): readonly SymbolClass[] {
  const starts = new Set<number>([0, PAIRED_HIGH[0] as number]);
  for (const set of sets) {
    for (const [from, to] of rangesOf(set)) starts.add(from).add(to + 1);
  }
  const last = PAIRED_LOW[1] as number;
  const isSymbol = (one: number): boolean =>
    one <= LAST_UNIT || (one >= (PAIRED_HIGH[0] as number) && one <= last);
  const classes = new Map<string, SymbolClass>();
  for (const symbol of [...READABLE, ...[...starts].sort((a, b) => a - b)]) {
    if (!isSymbol(symbol)) continue;
    const within = sets.map((set) => hasCode(set, symbol));
    const key = within.map(Number).join("");
    if (!classes.has(key)) classes.set(key, { symbol, within });
  }
  return [...classes.values()];
}
