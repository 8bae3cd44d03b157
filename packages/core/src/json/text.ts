// The two classes of the Encoding Standard exist in every runtime that core supports, but not in TypeScript's "es2023"
// library. These lines only declare what is used.
declare const TextDecoder: new (
  label: "utf-8",
  options: { readonly ignoreBOM: boolean; readonly fatal: boolean },
) => { decode(input: Uint8Array): string };
declare const TextEncoder: new () => {
  encode(input: string): Uint8Array<ArrayBuffer>;
  encodeInto(input: string, into: Uint8Array): { readonly written: number };
};

// ignoreBOM keeps a leading U+FEFF: dropping it would change the text.
const decoder = new TextDecoder("utf-8", { ignoreBOM: true, fatal: false });
const encoder = new TextEncoder();

/** Up to this length, a loop is faster than a call of the decoder. */
const SHORT = 24;

/**
 * Decodes the bytes `[start, end)` as UTF-8. Never throws: malformed sequences become U+FFFD, and a
 * byte order mark is kept as U+FEFF.
 */
export function decodeUtf8(
  bytes: Uint8Array,
  start: number = 0,
  end: number = bytes.length,
): string {
  if (end - start <= SHORT) {
    let text = "";
    let i = start;
    for (; i < end; i++) {
      const byte = bytes[i] as number;
      if (byte >= 0x80) break;
      text += String.fromCharCode(byte);
    }
    if (i >= end) return text;
  }
  return decoder.decode(bytes.subarray(start, end));
}

/** Encodes text as UTF-8; a lone surrogate becomes U+FFFD. */
export function encodeUtf8(text: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(text);
}

/** The longest text that is encoded into shared memory, in UTF-16 code units. Each takes at most three bytes. */
const MAX_SHARED = 262_144;
let shared: Uint8Array | undefined;

/**
 * Encodes text as {@link encodeUtf8} does, a sixth to half of the time (`bench:guard`): into memory that the next call
 * overwrites. The result must not be kept. The memory takes three bytes for each code unit of the longest text so far,
 * up to 768 KiB; longer texts get memory of their own.
 */
export function encodeTransient(text: string): Uint8Array {
  const { length } = text;
  if (length > MAX_SHARED) return encodeUtf8(text);
  if (shared === undefined || shared.length < 3 * length) shared = new Uint8Array(3 * length);
  return shared.subarray(0, encoder.encodeInto(text, shared).written);
}

/**
 * Returns whether the bytes start with a byte order mark, which JSON text must not have (RFC 8259, section 8.1).
 */
export function hasByteOrderMark(bytes: Uint8Array): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}

/**
 * Returns a text without the leading byte order mark that some programs add. Readers may ignore it (RFC 8259, section
 * 8.1).
 * @returns a view of the same bytes, of the same class
 */
export function withoutByteOrderMark<Bytes extends Uint8Array>(bytes: Bytes): Bytes {
  return hasByteOrderMark(bytes) ? (bytes.subarray(3) as Bytes) : bytes;
}
