/** Returns where the blanks before a place begin. A regular expression would take quadratic time. */
export function startOfBlanks(text: string, end: number, blanks: string): number {
  let at = end;
  while (at > 0 && blanks.includes(text.charAt(at - 1))) at -= 1;
  return at;
}
