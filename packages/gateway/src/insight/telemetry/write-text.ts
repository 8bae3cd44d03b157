/** UTF-8 takes no more bytes of a UTF-16 code unit. */
export const MAX_UTF8 = 3;

/** Up to here a loop is quicker than a call out of JavaScript. */
const SHORT = 16;

/**
 * Writes a text as UTF-8.
 * @param into has room for {@link MAX_UTF8} bytes of each code unit from `start` on
 * @returns how many bytes it takes
 */
export function writeText(into: Buffer, text: string, start: number): number {
  const { length } = text;
  if (length > SHORT) return into.write(text, start);
  for (let i = 0; i < length; i += 1) {
    const unit = text.charCodeAt(i);
    if (unit > 0x7f) return into.write(text, start);
    into[start + i] = unit;
  }
  return length;
}
