/** Converts byte offsets to UTF-16 offsets, in one pass over the text. */
export function utf16Offsets(text: string, offsets: Iterable<number>): ReadonlyMap<number, number> {
  const found = new Map<number, number>();
  let at = 0;
  let bytes = 0;
  for (const offset of [...new Set(offsets)].sort((a, b) => a - b)) {
    while (bytes < offset && at < text.length) {
      const code = text.codePointAt(at) ?? 0;
      // A lone surrogate is encoded as U+FFFD, which takes three bytes.
      bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
      at += code > 0xffff ? 2 : 1;
    }
    found.set(offset, at);
  }
  return found;
}
