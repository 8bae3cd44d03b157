/** What a check looked for, as recorded. */
export interface RecordedCheckScope {
  /** `less:`, `more:` or `mixed:` and a digest of the settings; undefined for the defaults. */
  readonly token?: string | undefined;
  /** The kinds of repairs that were made before it found nothing. */
  readonly repairs?: readonly string[] | undefined;
}

const TOKEN = /^(?:less|more|mixed):[0-9a-f]{10}$/;
const REPAIRED = "repaired:";

/** Returns what a record adds to the outcome of a check after these repairs. */
export function repairedText(kinds: Iterable<string>): string {
  const all = [...new Set(kinds)].sort();
  return all.length === 0 ? "" : ` ${REPAIRED}${all.join("+")}`;
}

/** Reads a token of settings, and the text of {@link repairedText}, among the words about a check. */
export function readCheckScope(words: readonly string[]): RecordedCheckScope {
  const repaired = words.find((word) => word.startsWith(REPAIRED));
  return {
    token: words.find((word) => TOKEN.test(word)),
    repairs: repaired?.slice(REPAIRED.length).split("+"),
  };
}

/** What the current settings look for, by direction, and how they repair. */
export interface CurrentCheckScope {
  readonly input: string | undefined;
  readonly output: string | undefined;
  /** Undefined if unknown: repairs are then not compared. */
  readonly repairs?: readonly string[] | undefined;
}

/**
 * Returns whether a check without findings shows that the current settings would find nothing either: the settings
 * are the same, or the check looked for at least as much, and the same repairs are made.
 */
export function coversCheckScope(
  then: RecordedCheckScope,
  now: CurrentCheckScope,
  direction: "input" | "output",
): boolean {
  const { repairs } = now;
  if (repairs !== undefined && then.repairs?.some((kind) => !repairs.includes(kind)) === true) {
    return false;
  }
  const token = now[direction];
  if (then.token === token) return true;
  const hadAll = then.token === undefined || then.token.startsWith("more:");
  return hadAll && (token === undefined || token.startsWith("less:"));
}
