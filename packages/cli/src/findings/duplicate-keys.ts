import {
  type Check,
  duplicateWarnings,
  encodeUtf8,
  type Issue,
  scanJson,
} from "@touchstone/core/advanced";

/** The default number of listed keys: the same as the number of issues that a check lists. */
const MAX_LISTED = 1000;

/** Returns the duplicate keys of a text, as warnings; none if it is not JSON. */
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
 * Adds a warning to a check for each duplicate key of the text. A gateway finds duplicate keys in messages; for a
 * text outside a message, one of the values would otherwise be lost silently.
 * @param text the checked text; it is not searched if it was over a limit
 * @param maxText the size of all warnings together, in bytes; defaults to that of a check
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
