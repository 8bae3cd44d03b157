/** More than a single `data` line is around its value. */
const MORE_THAN_DATA = 10;
/** Enough of a message to find where it stands; a longer needle is looked for less quickly. */
const BEGINNING = 8;
/** The first byte of a byte order mark. */
const MARK = 0xef;
/** VT, FF, FS, GS and RS. */
const CONTROLS: ReadonlySet<number> = new Set([0x0b, 0x0c, 0x1c, 0x1d, 0x1e]);

/**
 * How many characters are in a text that end a line for many readers, Python's `str.splitlines` among
 * them, and not in an event stream: VT, FF, FS, GS, RS, NEL (C2 85), LS and PS (E2 80 A8 and A9). A byte
 * order mark (EF BB BF) is counted too: who decodes a stream piece by piece may lose it at the head of a line.
 */
function count(bytes: Uint8Array): number {
  let found = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] as number;
    if (CONTROLS.has(byte)) found += 1;
    else if (byte === 0xc2) found += bytes[at + 1] === 0x85 ? 1 : 0;
    else if (byte === MARK) found += bytes[at + 1] === 0xbb && bytes[at + 2] === 0xbf ? 1 : 0;
    else if (byte === 0xe2 && bytes[at + 1] === 0x80) {
      found += bytes[at + 2] === 0xa8 || bytes[at + 2] === 0xa9 ? 1 : 0;
    }
  }
  return found;
}

/**
 * Whether an event has such a character outside of the text that was judged. A client that ends lines
 * there (httpx-sse before 0.4.2) would read more lines, and events, than the gateway did. A JSON text
 * may hold one: what follows it inside of a string has its quotes escaped, and is no message.
 * @param judged the value of the event's `data`, where that is a JSON text that was let pass
 */
export function hasOddBreaks(raw: Uint8Array, judged?: Uint8Array): boolean {
  if (judged === undefined) return count(raw) > 0;
  if (raw.length - judged.length <= MORE_THAN_DATA && raw[0] !== MARK) return false;
  // Mostly it stands there whole, and what is around it is short.
  const text = Buffer.from(raw.buffer, raw.byteOffset, raw.length);
  const start = text.indexOf(judged.subarray(0, BEGINNING));
  const end = start + judged.length;
  const stands =
    start >= 0 && end <= raw.length && text.compare(judged, 0, undefined, start, end) === 0;
  if (!stands) return count(raw) > count(judged);
  return count(raw.subarray(0, start)) > 0 || count(raw.subarray(end)) > 0;
}
