import { canonicalText as formOf } from "@touchstone/core/advanced";

/** Longer arguments are not cached. */
const MAX_LENGTH = 65_536;

/**
 * Returns a text that is the same for two values exactly if they have the same JSON text up to the order of their
 * keys; undefined for a value without JSON text (cycles, a bigint), or with a long one. Never throws.
 */
export function canonicalText(value: unknown): string | undefined {
  try {
    // Sorts the keys in the text and not in the value, because the JSON of a date or a boxed number is not made from
    // its keys.
    const text = JSON.stringify(value);
    return text === undefined || text.length > MAX_LENGTH ? undefined : formOf(text);
  } catch {
    return undefined;
  }
}
