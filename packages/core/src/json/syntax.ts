import type { ScanError } from "./range.ts";
import { hasByteOrderMark } from "./text.ts";

/** The longest string in V8, so that every part of a text can become a string. */
const MAX_BYTES = 0x1fff_ffe8;

function describe(byte: number): string {
  const hex = `0x${byte.toString(16).padStart(2, "0")}`;
  return byte > 0x20 && byte < 0x7f ? `'${String.fromCharCode(byte)}' (${hex})` : `the byte ${hex}`;
}

/**
 * Returns the error if the grammar expects `wanted` but finds something else or the end.
 * @param byte the byte at `offset`; undefined at the end of the text
 */
export function expectedError(byte: number | undefined, offset: number, wanted: string): ScanError {
  const message =
    byte === undefined
      ? `Expected ${wanted}, but the text ends, at byte ${offset}`
      : `Expected ${wanted}, found ${describe(byte)}, at byte ${offset}`;
  return { code: "syntax", message, offset };
}

export function trailingError(offset: number): ScanError {
  const message = `More text follows the end of the JSON value, at byte ${offset}`;
  return { code: "trailing", message, offset };
}

export function depthError(maxDepth: number, offset: number): ScanError {
  const message = `The value nests deeper than ${maxDepth} levels, at byte ${offset}`;
  return { code: "depth", message, offset };
}

/** Returns the error for an object or a text with more keys than `limit`. */
export function keysError(of: "object" | "text", limit: number, offset: number): ScanError {
  const what = of === "object" ? "An object" : "The text";
  const message = `${what} has more than ${limit} keys, at byte ${offset}`;
  return { code: "keys", message, offset, of, limit };
}

/** Returns the error for a text that is too long to read; `size` in bytes. */
function sizeError(size: number): ScanError | undefined {
  if (size <= MAX_BYTES) return undefined;
  const message = `The text has ${size} bytes; at most ${MAX_BYTES} can be read`;
  return { code: "encoding", message, offset: MAX_BYTES };
}

/**
 * Returns the error if the first bytes or the size of a text show that it cannot be read: RFC 8259, section 8.1
 * requires UTF-8 without a byte order mark.
 */
export function encodingError(bytes: Uint8Array): ScanError | undefined {
  const tooLong = sizeError(bytes.length);
  if (tooLong !== undefined) return tooLong;
  if (hasByteOrderMark(bytes)) {
    const message = "The text starts with a byte order mark, which JSON does not allow, at byte 0";
    return { code: "encoding", message, offset: 0 };
  }
  const first = bytes[0];
  const second = bytes[1];
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) {
    return { code: "encoding", message: "The text is UTF-16, not UTF-8, at byte 0", offset: 0 };
  }
  return undefined;
}
