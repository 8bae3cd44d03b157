import { type Check, duplicateWarnings, encodeUtf8, type Issue, scanJson } from "@touchstone/core";

/** How many are listed if nobody says so: as many as a check has issues. */
const MAX_LISTED = 1000;

/** Returns the keys that stand twice in a text, as warnings; none if it is not JSON. */
export function duplicateKeys(
  text: string | Uint8Array,
  most: number = MAX_LISTED,
  maxText?: number,
): readonly Issue[] {
  const bytes = typeof text === "string" ? encodeUtf8(text) : text;
  const scan = scanJson(bytes, { duplicates: true });
  return scan.error === undefined ? duplicateWarnings(scan, most, maxText) : [];
}

/**
 * Returns a check with a warning for each key of the text that occurs twice. A gateway finds those in a message; a
 * text that is checked by itself would lose one of the values without a word.
 * @param text what was checked; nothing is looked for where it was over a limit
 * @param maxText how many bytes all warnings have together, if not as many as those of a check
 */
export function withDuplicateKeys(
  check: Check,
  text: string | Uint8Array,
  most?: number,
  maxText?: number,
): Check {
  if (check.guard !== undefined) return check;
  const found = duplicateKeys(text, most, maxText);
  return found.length === 0 ? check : { ...check, warnings: [...check.warnings, ...found] };
}
