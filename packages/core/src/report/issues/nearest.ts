/** Longer names, and names beyond this number, are not compared. */
const MAX_NAME = 64;
const MAX_NAMES = 1000;

/**
 * Returns the edit distance of two texts by insertions, deletions, replacements and swaps of neighbors, where no
 * part is changed twice (Damerau-Levenshtein, optimal string alignment).
 * @param most larger distances are not computed: the result is then some number above `most`
 */
export function editDistance(
  a: string,
  b: string,
  most: number = Math.max(a.length, b.length),
): number {
  if (Math.abs(a.length - b.length) > most) return most + 1;
  // A common beginning and end cost nothing.
  const shorter = Math.min(a.length, b.length);
  let start = 0;
  while (start < shorter && a.charCodeAt(start) === b.charCodeAt(start)) start++;
  let end = 0;
  while (
    end < shorter - start &&
    a.charCodeAt(a.length - 1 - end) === b.charCodeAt(b.length - 1 - end)
  )
    end++;
  return distanceOf(codesOf(a, start, end, FIRST), codesOf(b, start, end, SECOND), most);
}

/** Arrays that all comparisons share: with new ones for each, thousands of comparisons would leave much garbage. */
const FIRST: number[] = [];
const SECOND: number[] = [];
const ROWS: [number[], number[], number[]] = [[], [], []];

/** Puts the UTF-16 code units of a text, but for its beginning and end, into an array. */
function codesOf(text: string, start: number, end: number, into: number[]): readonly number[] {
  const { length } = text;
  into.length = 0;
  for (let i = start; i < length - end; i++) into.push(text.charCodeAt(i));
  return into;
}

function distanceOf(a: readonly number[], b: readonly number[], most: number): number {
  const beyond = most + 1;
  let [before, above, row] = ROWS;
  for (let j = 0; j <= b.length; j++) above[j] = j;
  let leastAbove = 0;
  for (let i = 1; i <= a.length; i++) {
    // Any path further than `most` from the diagonal costs more than that.
    const from = i > most ? i - most : 1;
    const to = i + most < b.length ? i + most : b.length;
    let left = from === 1 ? i : beyond;
    row[from - 1] = left;
    let least = left;
    for (let j = from; j <= to; j++) {
      let here = (above[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      if (left < here) here = left + 1;
      if ((above[j] as number) < here) here = (above[j] as number) + 1;
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isSwap && (before[j - 2] as number) < here) here = (before[j - 2] as number) + 1;
      row[j] = here;
      left = here;
      if (here < least) least = here;
    }
    row[to + 1] = beyond;
    // The rows below build on this row, or on the row above by a swap, which costs one.
    if (least > most && leastAbove >= most) return beyond;
    leastAbove = least;
    [before, above, row] = [above, row, before];
  }
  return above[b.length] as number;
}

/** Returns a name without word separators and case, so that `user_id`, `userId` and `User-ID` are equal. */
function bare(name: string): string {
  return name.replace(/[_\-\s.]/g, "").toLowerCase();
}

/**
 * Returns the maximum number of edits for a misspelling. More make it another name: `no` is not a misspelled `on`, and
 * `en` not a misspelled `es`.
 */
function edits(length: number): number {
  if (length <= 2) return 0;
  if (length === 3) return 1;
  return length <= 7 ? 2 : 3;
}

/** Returns the digits of a name, which distinguish names: `v3` is not a misspelled `v1`. */
function digits(name: string): string {
  return name.replace(/\D+/g, "");
}

/** Returns whether two names differ only in case and separators, or in one edit, as {@link editDistance} counts them. */
export function isClose(name: string, near: string): boolean {
  return bare(name) === bare(near) || editDistance(name.toLowerCase(), near.toLowerCase(), 1) <= 1;
}

/**
 * Returns whether a name is closer to `near` than to each of the others, as {@link Candidates} measures it; false if
 * the effort is spent.
 */
export function isNearest(
  name: string,
  near: string,
  others: readonly string[],
  effort: SuggestionBudget,
): boolean {
  if (others.length > MAX_NAMES || name.length > MAX_NAME || near.length > MAX_NAME) return false;
  const spelt = bare(name);
  const isSpelt = spelt === bare(near);
  const own = digits(name);
  const wanted = name.toLowerCase();
  const distance = editDistance(wanted, near.toLowerCase());
  const cells = wanted.length * (2 * distance + 1);
  return others.every((other) => {
    if (other.length > MAX_NAME) return true;
    if (bare(other) === spelt) return false;
    const isFar = Math.abs(other.length - wanted.length) > distance;
    if (isSpelt || isFar || digits(other) !== own) return true;
    return effort.compare(cells) && editDistance(wanted, other.toLowerCase(), distance) > distance;
  });
}

/** Names to compare others with: the first 1000 of those given, without names of more than 64 characters. */
export class Candidates {
  readonly #names: readonly string[];
  readonly #lower: readonly string[];
  readonly #digits: readonly string[];
  /** The first name for each spelling. */
  readonly #spelt: Map<string, string> = new Map();

  constructor(names: readonly string[]) {
    this.#names = names.slice(0, MAX_NAMES).filter(({ length }) => length <= MAX_NAME);
    this.#lower = this.#names.map((name) => name.toLowerCase());
    this.#digits = this.#lower.map(digits);
    for (const name of this.#names) {
      const spelt = bare(name);
      if (spelt !== "" && !this.#spelt.has(spelt)) this.#spelt.set(spelt, name);
    }
  }

  /**
   * Returns the candidate nearest to `name`: one that differs only in case and separators; otherwise the one with the
   * same digits and the fewest edits, ignoring case. Allows no edits for up to two characters, at most one for three,
   * two for up to seven, three for more. Of equally near candidates, returns the first. Returns undefined if the
   * effort is spent.
   */
  nearest(name: string, effort: SuggestionBudget): string | undefined {
    if (name.length > MAX_NAME) return undefined;
    const same = this.#spelt.get(bare(name));
    if (same !== undefined) return same;
    const wanted = name.toLowerCase();
    const own = digits(wanted);
    let best: string | undefined;
    let most = edits(name.length);
    // The approximate number of cells that comparing two names takes.
    const cells = wanted.length * (2 * most + 1);
    for (const [i, candidate] of this.#lower.entries()) {
      if (most < 0) break;
      if (Math.abs(candidate.length - wanted.length) > most || this.#digits[i] !== own) continue;
      if (!effort.compare(cells)) return undefined;
      const distance = editDistance(wanted, candidate, most);
      if (distance <= most) {
        best = this.#names[i];
        most = distance - 1;
      }
    }
    return best;
  }
}

/** Maximum cells for all comparisons of names; a cell compares about one character with another. */
const MAX_CELLS = 1_000_000;
/** Maximum steps for trying all values, and for trying one. */
const MAX_STEPS = 50_000;
const MAX_TRIAL = 5_000;

/**
 * The budget for finding out what may have been meant, for all errors of one check together: an untrusted schema and
 * value can make each of a thousand errors expensive. Once it is spent, nothing more is found. It counts work, not
 * time, so that equal checks find equal things.
 */
export class SuggestionBudget {
  #cells = MAX_CELLS;
  #steps = MAX_STEPS;

  /** Spends this many cells; false if there are not enough left. */
  compare(cells: number): boolean {
    this.#cells -= cells;
    return this.#cells >= 0;
  }

  /** Tries a value with the steps that it may take, and spends the steps that it took. */
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
