/**
 * Where a string of JSON that begins at `start` ends, behind its closing quote; undefined if it has none. A
 * regular expression would do, but for strings of millions of characters, for which V8 has no room to go back.
 */
export function endOfString(text: string, start: number): number | undefined {
  let end = start;
  for (;;) {
    end = text.indexOf('"', end + 1);
    if (end < 0) return undefined;
    let slashes = 0;
    while (text[end - 1 - slashes] === "\\") slashes += 1;
    if (slashes % 2 === 0) return end + 1;
  }
}
