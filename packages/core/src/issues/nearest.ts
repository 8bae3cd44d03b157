/** Names longer than this, and more names than this, are not compared. */
const MAX_NAME = 64;
const MAX_NAMES = 1000;

/**
 * The distance of two texts by insertions, deletions, replacements and swaps of neighbours, where
 * no part is changed twice (Damerau-Levenshtein, optimal string alignment).
 */
export function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let least = Math.min(
        (above[j] as number) + 1,
        (row[j - 1] as number) + 1,
        (above[j - 1] as number) + cost,
      );
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        least = Math.min(least, (before[j - 2] as number) + 1);
      }
      row.push(least);
    }
    before = above;
    above = row;
  }
  return above[b.length] as number;
}

/** How a name reads when its words are set apart otherwise: `user_id`, `userId` and `User-ID`. */
function bare(name: string): string {
  return name.replace(/[_\-\s.]/g, "").toLowerCase();
}

/** How many edits make another spelling, and not another name. */
function edits(length: number): number {
  if (length < 2) return 0;
  if (length <= 3) return 1;
  return length <= 7 ? 2 : 3;
}

/**
 * The candidate nearest to `name`: one that differs in case and separators only, else the one that is
 * fewest edits away, ignoring case: none for one character, at most one for up to three, two for up to
 * seven, three beyond. Of equally near ones, the first. At most 1000 candidates are compared, and none with
 * a name of more than 64 characters.
 */
export function nearest(name: string, candidates: readonly string[]): string | undefined {
  if (name.length > MAX_NAME) return undefined;
  const compared = candidates.slice(0, MAX_NAMES).filter(({ length }) => length <= MAX_NAME);
  const spelt = bare(name);
  const same = spelt === "" ? undefined : compared.find((other) => bare(other) === spelt);
  if (same !== undefined) return same;
  const wanted = name.toLowerCase();
  let best: string | undefined;
  let least = edits(name.length) + 1;
  for (const candidate of compared) {
    if (Math.abs(candidate.length - name.length) >= least) continue;
    const distance = editDistance(wanted, candidate.toLowerCase());
    if (distance < least) {
      best = candidate;
      least = distance;
    }
  }
  return best;
}
