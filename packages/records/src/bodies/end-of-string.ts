/**
 * Returns the place after the closing quote of a JSON string that begins at `start`; undefined if it has none. A
 * regular expression would run out of stack on strings of millions of characters.
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
