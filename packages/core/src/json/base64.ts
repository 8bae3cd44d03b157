import { BACKSLASH } from "./bytes.ts";
import { WINDOW_BYTES } from "./wasm/scanner.ts";
import { type ScannerSource, wasmScanners } from "./wasm/source.ts";

/** 1 for the characters of base64, except its padding (RFC 4648, section 4). */
const ALPHABET = new Uint8Array(256);
for (const letter of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/") {
  ALPHABET[letter.charCodeAt(0)] = 1;
}
const PAD = 0x3d;
/** Up to this length, JavaScript is faster than a copy into the scanner's memory. */
const NEAR = 64;

/** Returns the offset of the first byte of `[start, end)` that is not in the alphabet. */
function endOfRun(bytes: Uint8Array, start: number, end: number): number {
  let i = start;
  while (i < end && ALPHABET[bytes[i] as number] === 1) i++;
  return i;
}

/** {@link endOfRun} for a long run: uses the scanner of a source if it has one. */
function endOfLongRun(
  bytes: Uint8Array,
  start: number,
  end: number,
  source: ScannerSource,
): number {
  const near = Math.min(start + NEAR, end);
  let i = endOfRun(bytes, start, near);
  if (i < near) return i;
  const scanner = source.get();
  if (scanner === undefined) return endOfRun(bytes, i, end);
  while (i < end) {
    const window = bytes.subarray(i, Math.min(i + WINDOW_BYTES, end));
    const run = scanner.endBase64(window, 0);
    i += run;
    if (run < window.length) break;
  }
  return i;
}

/** Returns the character that the escape at `at` represents, if it may be part of base64; otherwise 0. */
function escaped(bytes: Uint8Array, at: number): number {
  if (bytes[at + 1] === 0x2f) return 0x2f;
  if (bytes[at + 1] !== 0x75) return 0;
  const code = Number.parseInt(String.fromCharCode(...bytes.subarray(at + 2, at + 6)), 16);
  return code < 256 ? code : 0;
}

/** {@link isBase64} with the scanner of a source, or in JavaScript if it has none. */
export function isBase64With(
  bytes: Uint8Array,
  start: number,
  end: number,
  source: ScannerSource,
): boolean {
  let i = endOfLongRun(bytes, start, end, source);
  let digits = i - start;
  let pads = 0;
  while (i < end) {
    const byte = bytes[i] as number;
    const code = byte === BACKSLASH ? escaped(bytes, i) : byte;
    if (code === PAD && pads < 2) pads++;
    else if (pads === 0 && ALPHABET[code] === 1) digits++;
    else return false;
    i += byte !== BACKSLASH ? 1 : bytes[i + 1] === 0x75 ? 6 : 2;
  }
  return (digits + pads) % 4 === 0;
}

/**
 * Returns whether a JSON string contains base64: the standard alphabet with its padding and nothing else, as in RFC
 * 4648, sections 3.2, 3.3 and 4. Reads the string in place, in time linear in its length, and decodes nothing. Bits
 * after the last byte may be nonzero (section 3.5). Escapes count as the characters they stand for: some writers put
 * a backslash before each slash.
 * @param bytes UTF-8 of a text that is JSON
 * @param start the offset just after the opening quote
 * @param end the offset of the closing quote
 */
export function isBase64(bytes: Uint8Array, start: number, end: number): boolean {
  return isBase64With(bytes, start, end, wasmScanners);
}
