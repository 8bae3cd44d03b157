import { decodeUtf8, encodeUtf8 } from "../../json/text.ts";

/** Whether a JSON text may have a string as it is, without escapes (RFC 8259, section 7). */
export function isPlainText(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x20 || unit === 0x22 || unit === 0x5c) return false;
  }
  // A lone surrogate has no UTF-8.
  return decodeUtf8(encodeUtf8(text)) === text;
}

/** The bytes of a string's text and the quote behind it. */
export function quoted(text: string): Uint8Array {
  return encodeUtf8(`${text}"`);
}
