import { canonicalText as formOf } from "@touchstone/core";

/** Longer arguments are not kept. */
const MAX_LENGTH = 65_536;

/**
 * Returns a text that two values share exactly when they have the same JSON text up to the order of their
 * keys; nothing for a value that has none (cycles, a bigint), or a long one. Never throws.
 */
export function canonicalText(value: unknown): string | undefined {
  try {
    // What the text says is sorted, not the value: a date or a boxed number is more than its keys.
    const text = JSON.stringify(value);
    return text === undefined || text.length > MAX_LENGTH ? undefined : formOf(text);
  } catch {
    return undefined;
  }
}
