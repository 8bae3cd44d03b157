import { editDistance } from "@touchstone/core/plain";

/**
 * Longer names are not compared, because they are hardly misspellings of our names. Nor are more candidates than this.
 */
const MAX_LENGTH = 64;
const MAX_CANDIDATES = 1_000;

/**
 * Returns the candidate that a reader most likely meant: the fewest edits (insert, delete, replace, swap two
 * neighbors), ignoring case, and at most a third of the name's length; else the first one that begins with the name,
 * if that has three characters or more. Compares the first 1,000 candidates, without those of more than 64 characters.
 */
export function closest(name: string, all: readonly string[]): string | undefined {
  if (name.length > MAX_LENGTH) return undefined;
  const candidates = all.slice(0, MAX_CANDIDATES).filter(({ length }) => length <= MAX_LENGTH);
  let best: string | undefined;
  let least = Math.max(1, Math.floor(name.length / 3)) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase(), least - 1);
    if (distance < least) {
      least = distance;
      best = candidate;
    }
  }
  if (best !== undefined || name.length < 3) return best;
  return candidates.find((candidate) => candidate.toLowerCase().startsWith(name.toLowerCase()));
}
