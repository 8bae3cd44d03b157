import { isObject } from "@touchstone/core";

/** Longer arguments are not kept. */
const MAX_LENGTH = 65_536;

/**
 * Returns a text that two values share exactly when they have the same JSON text up to the order of their
 * keys; nothing for a value that has none (cycles, a bigint), or a long one. Never throws.
 */
export function canonicalText(value: unknown): string | undefined {
  try {
    const text = JSON.stringify(value);
    if (text === undefined || text.length > MAX_LENGTH) return undefined;
    // What the text tells is sorted, not the value: a date or a boxed number is more than its keys.
    return JSON.stringify(JSON.parse(text), (_key, member: unknown) => {
      if (!isObject(member)) return member;
      const names = Object.keys(member).sort();
      return Object.fromEntries(names.map((name) => [name, member[name]]));
    });
  } catch {
    return undefined;
  }
}
