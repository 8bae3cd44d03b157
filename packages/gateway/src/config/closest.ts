import { editDistance } from "@touchstone/core";

/** Longer names are not compared: nobody mistypes one of ours into them. Nor are more candidates than this. */
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

/** ` — did you mean "…"?`, or nothing if no candidate is close. */
export function didYouMean(name: string, candidates: readonly string[]): string {
  const found = closest(name, candidates);
  return found === undefined ? "" : ` — did you mean "${found}"?`;
}

/** Returns a name in a form that is the same for `serverUrl`, `server_url` and `server-url`. */
export function bareName(name: string): string {
  return name.toLowerCase().replaceAll(/[_-]/g, "");
}
