import { type CodeSet, rangesOf } from "./code-set.ts";
import { type FiniteEffort, NotProvenError, spendEffort } from "./finite.ts";
import type { PatternPosition } from "./glushkov.ts";

/** Maximum work at one character that counts as linear. */
export const MAX_WORK = 256;

/** An automaton, for counting the ways through it. */
export interface PatternAutomaton {
  /** The initial positions. */
  readonly first: readonly PatternPosition[];
  /** Whether it starts again at every character. */
  readonly search: boolean;
  /** Maximum work of the assertions between two characters. */
  readonly assertions: number;
}

/** The reachable positions, with the numbers of their sets. */
interface Numbered {
  readonly index: Map<PatternPosition, number>;
  readonly follow: readonly (readonly number[])[];
  readonly kind: readonly number[];
  readonly sets: readonly CodeSet[];
}

function numbered(first: readonly PatternPosition[], effort: FiniteEffort): Numbered {
  const index = new Map<PatternPosition, number>();
  const all: PatternPosition[] = [];
  const add = (position: PatternPosition): void => {
    if (index.has(position)) return;
    index.set(position, all.length);
    all.push(position);
  };
  first.forEach(add);
  for (let i = 0; i < all.length; i++) {
    const follow = all[i]?.follow ?? [];
    spendEffort(effort, 1 + follow.length);
    follow.forEach(add);
  }
  const kinds = new Map<string, number>();
  const sets: CodeSet[] = [];
  const kind = all.map(({ set }) => {
    spendEffort(effort, set.length >> 3);
    const key = set.join();
    const known = kinds.get(key);
    if (known !== undefined) return known;
    kinds.set(key, sets.length);
    return sets.push(set) - 1;
  });
  const follow = all.map((position) => position.follow.map((next) => index.get(next) ?? 0));
  return { index, follow, kind, sets };
}

/** Returns, for each set, the numbers of its classes: a class holds characters that no set distinguishes. */
function classesOf(sets: readonly CodeSet[], effort: FiniteEffort): readonly (readonly number[])[] {
  const edges = sets.flatMap((set, i) =>
    [...rangesOf(set)].flatMap(([lo, hi]) => [
      { at: lo, set: i, inside: true },
      { at: hi + 1, set: i, inside: false },
    ]),
  );
  spendEffort(effort, (edges.length * (8 + sets.length)) >> 3);
  edges.sort((a, b) => a.at - b.at);
  const inside: boolean[] = new Array(sets.length).fill(false);
  const known = new Set<string>();
  const classes: number[][] = sets.map(() => []);
  for (const [i, edge] of edges.entries()) {
    inside[edge.set] = edge.inside;
    if (edges[i + 1]?.at === edge.at) continue;
    const key = inside.map(Number).join("");
    if (known.has(key)) continue;
    for (const [set, holds] of inside.entries()) if (holds) classes[set]?.push(known.size);
    known.add(key);
  }
  return classes;
}

/** Number of ways that lead to each position, in the order of positions. */
type Ways = readonly (readonly [position: number, count: number])[];

/** Yields the ways that remain after a next character of each class, if any remain. */
function* byClass(
  reached: Ways,
  classes: (position: number) => readonly number[],
  effort: FiniteEffort,
): Generator<Ways> {
  const left = new Map<number, (readonly [number, number])[]>();
  for (const way of reached) {
    const own = classes(way[0]);
    spendEffort(effort, 1 + own.length);
    for (const one of own) {
      const ways = left.get(one);
      if (ways === undefined) left.set(one, [way]);
      else ways.push(way);
    }
  }
  yield* left.values();
}

/** Returns the ways that are tried at the next character. */
function step(ways: Ways, starts: readonly number[], follow: Numbered["follow"]): Ways {
  const next = new Map<number, number>();
  for (const to of starts) next.set(to, (next.get(to) ?? 0) + 1);
  for (const [from, count] of ways) {
    for (const to of follow[from] ?? []) next.set(to, (next.get(to) ?? 0) + count);
  }
  return [...next].sort(([a], [b]) => a - b);
}

/** The maximum work of a backtracking engine between two characters of any text. */
export interface MaximumWork {
  /** Number of ways through the pattern that lead there. */
  readonly ways: number;
  /** Counts each way itself, and the characters and assertions that it tries next. */
  readonly work: number;
}

/**
 * Follows all ways through an automaton on any text.
 * @throws NotProvenError if the work exceeds {@link MAX_WORK}, as it does for infinitely many ways
 */
export function maximumWork(
  { first, search, assertions }: PatternAutomaton,
  effort: FiniteEffort,
): MaximumWork {
  const { index, follow, kind, sets } = numbered(first, effort);
  const classes = classesOf(sets, effort);
  const start = first.map((position) => index.get(position) ?? 0);
  const again = search ? start : [];
  const toBegin = search ? start.length + assertions : 0;
  const most = { ways: 1, work: 1 + start.length + assertions };
  const seen = new Set<string>();
  const open: Ways[] = [step([], start, follow)];
  const classesAt = (position: number): readonly number[] => classes[kind[position] ?? 0] ?? [];
  for (let reached = open.pop(); reached !== undefined; reached = open.pop()) {
    const key = reached.join();
    if (seen.has(key)) continue;
    seen.add(key);
    for (const ways of byClass(reached, classesAt, effort)) {
      let count = 0;
      let work = toBegin;
      for (const [at, leading] of ways) {
        count += leading;
        work += leading * (1 + (follow[at]?.length ?? 0) + assertions);
      }
      spendEffort(effort, 8 + work);
      if (work > MAX_WORK) throw new NotProvenError();
      most.ways = Math.max(most.ways, count);
      most.work = Math.max(most.work, work);
      open.push(step(ways, again, follow));
    }
  }
  return most;
}
