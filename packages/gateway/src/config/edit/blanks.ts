/** Where the blanks begin that are in front of a place. A pattern for that takes time in the square of their number. */
export function startOfBlanks(text: string, end: number, blanks: string): number {
  let at = end;
  while (at > 0 && blanks.includes(text.charAt(at - 1))) at -= 1;
  return at;
}
