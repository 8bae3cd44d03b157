import { decodeUtf8, encodeUtf8 } from "@touchstone/core/advanced";
import { fromBase64, toBase64 } from "./base64.ts";

const ENCODED = /^=\?base64\?(.*)\?=$/s;
/** What a header can hold unencoded: visible ASCII, with spaces inside only. */
const PLAIN = /^(?:[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)?$/;

/**
 * Returns the text that an MCP header represents: the value itself, or what `=?base64?…?=` holds (MCP 2026-07-28,
 * Transports, Value Encoding). Undefined if that is not the canonical Base64 of UTF-8.
 */
export function decodeHeaderValue(value: string): string | undefined {
  const encoded = ENCODED.exec(value)?.[1];
  if (encoded === undefined) return value;
  const bytes = fromBase64(encoded);
  if (bytes === undefined) return undefined;
  const text = decodeUtf8(bytes);
  // Invalid UTF-8 was replaced while decoding, so it encodes differently.
  const again = encodeUtf8(text);
  const same = again.length === bytes.length && again.every((byte, i) => byte === bytes[i]);
  return same ? text : undefined;
}

/** Returns the header value for a text, in Base64 if the header could not hold the text unencoded. */
export function encodeHeaderValue(text: string): string {
  if (PLAIN.test(text) && !ENCODED.test(text)) return text;
  return `=?base64?${toBase64(encodeUtf8(text))}?=`;
}
