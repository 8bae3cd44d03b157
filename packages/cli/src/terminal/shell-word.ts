/** What shells take as it is. */
const PLAIN = /^[\w./:@%+,-]+$/;

/**
 * Text from outside as one word of a command that is to be typed or copied, in the quotes of POSIX shells where it
 * needs them (Shell Command Language, 2.2.2).
 */
export function shellWord(text: string): string {
  return PLAIN.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
