/** Nothing wrong. */
export const EXIT_OK = 0;
/** The command ran and found something. */
export const EXIT_FINDINGS = 1;
/** The command line or a value on it is wrong. */
export const EXIT_USAGE = 2;
/** The command could not do its work, or could not check something but found nothing invalid. */
export const EXIT_FAILED = 3;
/** The number that shells add to that of a signal that ended a process (POSIX, Shell Command Language, 2.8.2). */
export const ENDED_BY_SIGNAL = 128;

/**
 * Ends a command with an exit code. `run` turns it into the process's exit code and prints `message` to stderr, if it
 * is not empty.
 */
export class CliExit extends Error {
  override readonly name: string = "CliExit";
  readonly code: number;

  constructor(code: number, message = "", options?: { readonly cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}
