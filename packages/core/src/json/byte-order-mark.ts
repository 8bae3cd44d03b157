/** Whether a byte order mark stands first, with which no JSON text may begin (RFC 8259, section 8.1). */
export function hasByteOrderMark(bytes: Uint8Array): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}

/**
 * A text without the byte order mark that some programs put first. Whoever reads a text may ignore it (RFC 8259,
 * section 8.1).
 * @returns a view of the same bytes, of the same class
 */
export function withoutByteOrderMark<Bytes extends Uint8Array>(bytes: Bytes): Bytes {
  return hasByteOrderMark(bytes) ? (bytes.subarray(3) as Bytes) : bytes;
}
