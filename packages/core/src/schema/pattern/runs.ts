import { type CodeSet, rangesOf } from "./code-set.ts";
import { type Effort, spendEffort } from "./effort.ts";
import { NotProven } from "./finite.ts";
import type { Position } from "./glushkov.ts";

/** Most work at one character that is called linear. */
export const MAX_WORK = 128;

/** An automaton whose ways are counted. */
export interface Runs {
  /** Where it begins. */
  readonly first: readonly Position[];
  /** Whether it begins anew at every character. */
  readonly search: boolean;
  /** Work of the assertions between two characters, at most. */
  readonly assertions: number;
}

/** The positions that can be reached, with the numbers of their sets. */
interface Numbered {
  readonly index: Map<Position, number>;
  readonly follow: readonly (readonly number[])[];
  readonly kind: readonly number[];
  readonly sets: readonly CodeSet[];
}

function numbered(first: readonly Position[], effort: Effort): Numbered {
  const index = new Map<Position, number>();
  const all: Position[] = [];
  const add = (position: Position): void => {
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

/** For each class of characters that no set tells apart, which sets hold it. */
function classesOf(sets: readonly CodeSet[], effort: Effort): readonly (readonly boolean[])[] {
  const edges = sets.flatMap((set, i) =>
    [...rangesOf(set)].flatMap(([lo, hi]) => [
      { at: lo, set: i, inside: true },
      { at: hi + 1, set: i, inside: false },
    ]),
  );
  spendEffort(effort, (edges.length * (8 + sets.length)) >> 3);
  edges.sort((a, b) => a.at - b.at);
  const inside: boolean[] = new Array(sets.length).fill(false);
  const classes = new Map<string, readonly boolean[]>();
  for (const [i, edge] of edges.entries()) {
    inside[edge.set] = edge.inside;
    if (edges[i + 1]?.at === edge.at) continue;
    if (inside.includes(true)) classes.set(inside.map(Number).join(""), [...inside]);
  }
  return [...classes.values()];
}

/** How many ways lead to each position, in the order of positions. */
type Ways = readonly (readonly [position: number, count: number])[];

function step(ways: Ways, starts: readonly number[], follow: Numbered["follow"]): Ways {
  const next = new Map<number, number>();
  for (const to of starts) next.set(to, (next.get(to) ?? 0) + 1);
  for (const [from, count] of ways) {
    for (const to of follow[from] ?? []) next.set(to, (next.get(to) ?? 0) + count);
  }
  return [...next].sort(([a], [b]) => a - b);
}

/** What a backtracking engine has to do between two characters of any text, at most. */
export interface Most {
  /** Ways through the pattern that lead there. */
  readonly ways: number;
  /** For each of them itself, and the characters and assertions that it tries next. */
  readonly work: number;
}

/**
 * Follows all ways through an automaton on any text.
 * @throws NotProven where it is more than {@link MAX_WORK}, as it is for endlessly many ways
 */
export function mostWork({ first, search, assertions }: Runs, effort: Effort): Most {
  const { index, follow, kind, sets } = numbered(first, effort);
  const classes = classesOf(sets, effort);
  const start = first.map((position) => index.get(position) ?? 0);
  const again = search ? start : [];
  const most = { ways: 1, work: 1 + start.length + assertions };
  const seen = new Set<string>();
  const open: Ways[] = [step([], start, follow)];
  for (let reached = open.pop(); reached !== undefined; reached = open.pop()) {
    for (const holds of classes) {
      spendEffort(effort, 1 + reached.length);
      const ways = reached.filter(([to]) => holds[kind[to] ?? 0]);
      const key = ways.join();
      if (seen.has(key)) continue;
      seen.add(key);
      let count = 0;
      let work = again.length === 0 ? 0 : again.length + assertions;
      for (const [at, leading] of ways) {
        count += leading;
        work += leading * (1 + (follow[at]?.length ?? 0) + assertions);
      }
      spendEffort(effort, 8 + work);
      if (work > MAX_WORK) throw new NotProven();
      most.ways = Math.max(most.ways, count);
      most.work = Math.max(most.work, work);
      open.push(step(ways, again, follow));
    }
  }
  return most;
}
