import { encodeUtf8 } from "../json/text.ts";

/** What a string in a JSON text has escapes for (RFC 8259, section 7); a lone surrogate has no UTF-8. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they need escapes
const NEEDS_ESCAPE = /[\x00-\x1f"\\\p{Surrogate}]/u;

/** Whether a JSON text may have a string as it is, without escapes. */
export function isPlainText(text: string): boolean {
  return !NEEDS_ESCAPE.test(text);
}

/** The bytes of a string's text and the quote behind it. */
export function quoted(text: string): Uint8Array {
  return encodeUtf8(`${text}"`);
}
