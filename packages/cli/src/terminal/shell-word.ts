/** Characters that shells take literally. */
const PLAIN = /^[\w./:@%+,-]+$/;

/**
 * Returns external text as one word of a command to type or copy, in POSIX shell quotes if it needs them (Shell
 * Command Language, 2.2.2).
 */
export function shellWord(text: string): string {
  return PLAIN.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
