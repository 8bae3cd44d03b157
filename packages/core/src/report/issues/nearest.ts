/** Names longer than this, and more names than this, are not compared. */
const MAX_NAME = 64;
const MAX_NAMES = 1000;

/**
 * Returns the distance of two texts by insertions, deletions, replacements and swaps of neighbours, where
 * no part is changed twice (Damerau-Levenshtein, optimal string alignment).
 * @param most a larger distance is not found out: the response is then some number above `most`
 */
export function editDistance(
  a: string,
  b: string,
  most: number = Math.max(a.length, b.length),
): number {
  const beyond = most + 1;
  if (Math.abs(a.length - b.length) > most) return beyond;
  let before: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, j) => j);
  let row: number[] = [];
  let leastAbove = 0;
  for (let i = 1; i <= a.length; i++) {
    // Whatever leads further than `most` away from the diagonal is longer than that.
    const from = Math.max(1, i - most);
    const to = Math.min(b.length, i + most);
    row[from - 1] = from === 1 ? i : beyond;
    let least = row[from - 1] as number;
    for (let j = from; j <= to; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let here = Math.min(
        (above[j] as number) + 1,
        (row[j - 1] as number) + 1,
        (above[j - 1] as number) + cost,
      );
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        here = Math.min(here, (before[j - 2] as number) + 1);
      }
      row[j] = here;
      if (here < least) least = here;
    }
    row[to + 1] = beyond;
    // The rows below begin from this one, or by a swap, which costs one, from the one above.
    if (least > most && leastAbove >= most) return beyond;
    leastAbove = least;
    [before, above, row] = [above, row, before];
  }
  return above[b.length] as number;
}

/** Returns how a name reads when its words are set apart otherwise: `user_id`, `userId` and `User-ID`. */
function bare(name: string): string {
  return name.replace(/[_\-\s.]/g, "").toLowerCase();
}

/** Returns how many edits make another spelling, and not another name: `no` is not `on`, and `en` not `es`. */
function edits(length: number): number {
  if (length <= 2) return 0;
  if (length === 3) return 1;
  return length <= 7 ? 2 : 3;
}

/** Returns the digits of a name, which tell it from others: `v3` is not a misspelt `v1`. */
function digits(name: string): string {
  return name.replace(/\D+/g, "");
}

/**
 * Returns whether a name is closer to `near` than to each of some others, by the measure of {@link Candidates}; false
 * if the effort is spent.
 */
export function isNearest(
  name: string,
  near: string,
  others: readonly string[],
  effort: Effort,
): boolean {
  if (others.length > MAX_NAMES) return false;
  const spelt = bare(name);
  const isSpelt = spelt === bare(near);
  const own = digits(name);
  const wanted = name.toLowerCase();
  const distance = editDistance(wanted, near.toLowerCase());
  const cells = wanted.length * (2 * distance + 1);
  return others.every((other) => {
    if (bare(other) === spelt) return false;
    const isFar = Math.abs(other.length - wanted.length) > distance;
    if (isSpelt || isFar || other.length > MAX_NAME || digits(other) !== own) return true;
    return effort.compare(cells) && editDistance(wanted, other.toLowerCase(), distance) > distance;
  });
}

/**
 * Names that others are compared with: the first 1000 of those given, without any of more than 64
 * characters.
 */
export class Candidates {
  readonly #names: readonly string[];
  readonly #lower: readonly string[];
  /** The first name of each spelling. */
  readonly #spelt: Map<string, string> = new Map();

  constructor(names: readonly string[]) {
    this.#names = names.slice(0, MAX_NAMES).filter(({ length }) => length <= MAX_NAME);
    this.#lower = this.#names.map((name) => name.toLowerCase());
    for (const name of this.#names) {
      const spelt = bare(name);
      if (spelt !== "" && !this.#spelt.has(spelt)) this.#spelt.set(spelt, name);
    }
  }

  /**
   * The candidate nearest to `name`: one that differs in case and separators only, else the one that has
   * the same digits and is fewest edits away, ignoring case: none for up to two characters, at most one for
   * three, two for up to seven, three beyond. Of equally near ones, the first. None if the effort is spent.
   */
  nearest(name: string, effort: Effort): string | undefined {
    if (name.length > MAX_NAME) return undefined;
    const same = this.#spelt.get(bare(name));
    if (same !== undefined) return same;
    const wanted = name.toLowerCase();
    let best: string | undefined;
    let most = edits(name.length);
    // Comparing by places of one length with another: about this many cells.
    const cells = wanted.length * (2 * most + 1);
    for (const [i, candidate] of this.#lower.entries()) {
      if (most < 0) break;
      if (Math.abs(candidate.length - wanted.length) > most) continue;
      if (!effort.compare(cells)) return undefined;
      const distance = editDistance(wanted, candidate, most);
      if (distance <= most && digits(candidate) === digits(wanted)) {
        best = this.#names[i];
        most = distance - 1;
      }
    }
    return best;
  }
}

/** Cells of all comparisons of names, each about one character against another. */
const MAX_CELLS = 1_000_000;
/** Steps of all values that are tried, and of one. */
const MAX_STEPS = 50_000;
const MAX_TRIAL = 5_000;

/**
 * What looking for what may have been meant costs, for all errors of one check together: a schema
 * and a value from strangers can make each of a thousand errors dear. Once it is spent, nothing more
 * is found. It counts work and no time, so that equal checks find equal things.
 */
export class Effort {
  #cells = MAX_CELLS;
  #steps = MAX_STEPS;

  /** Takes this many cells; false if they are not left. */
  compare(cells: number): boolean {
    this.#cells -= cells;
    return this.#cells >= 0;
  }

  /** Has a value tried with the steps that it may take, and takes those that it took. */
  attempt<T>(run: (budget: { steps: number }) => T): T {
    const budget = { steps: Math.max(0, Math.min(MAX_TRIAL, this.#steps)) };
    const before = budget.steps;
    try {
      return run(budget);
    } finally {
      this.#steps -= before - budget.steps;
    }
  }
}
