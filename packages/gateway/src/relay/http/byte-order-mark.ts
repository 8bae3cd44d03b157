/**
 * A body of JSON without the byte order mark that some servers begin it with. A parser may ignore it (RFC 8259,
 * section 8.1), and whoever reads bodies as the Fetch Standard does gets the text without it.
 */
export function withoutMark(body: Uint8Array): Uint8Array {
  return body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? body.subarray(3) : body;
}
