import type { TextOutput } from "../terminal/cli-io.ts";
import { EXIT_FAILED, EXIT_FINDINGS, EXIT_OK } from "./exit.ts";
import { writeError } from "./write-error.ts";

/** Error codes of a pipe that has no reader anymore. */
const GONE: ReadonlySet<string> = new Set(["EPIPE", "ECONNRESET", "EOF"]);

/** One of the process's own streams, such as stdout. */
export interface ProcessStream {
  readonly isTTY?: boolean;
  on(event: "error", listener: (error: NodeJS.ErrnoException) => void): unknown;
}

/**
 * Watches standard output for errors. It is not an error if a reader closes the pipe early
 * (`touchstone activity list | head`); other errors, such as a full disk, are reported once.
 * @param failed called before the process ends if output was lost
 */
export function watchOutput(stdout: ProcessStream, stderr: TextOutput, failed: () => void): void {
  let told = false;
  stdout.on("error", (error) => {
    if (told || stdout.isTTY === true || GONE.has(error.code ?? "")) return;
    told = true;
    failed();
    stderr.write(`touchstone: ${writeError("standard output", error).message}\n`);
  });
}

/**
 * Returns the exit status of a command whose output was lost: failure, whether or not it found something. An earlier
 * error status is kept.
 */
export function lostOutputStatus(code: number): number {
  return code === EXIT_OK || code === EXIT_FINDINGS ? EXIT_FAILED : code;
}
