import { editDistance } from "@touchstone/core";

/** Longer names are not compared: nobody mistypes one of ours into them. */
const MAX_LENGTH = 64;

/**
 * Returns the candidate that a reader most likely meant: the fewest edits (insert, delete, replace, swap two
 * neighbors), ignoring case, and at most a third of the name's length; else the first one that begins with the name,
 * if that has three characters or more.
 */
export function closest(name: string, candidates: readonly string[]): string | undefined {
  if (name.length > MAX_LENGTH) return undefined;
  let best: string | undefined;
  let least = Math.max(1, Math.floor(name.length / 3)) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
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
