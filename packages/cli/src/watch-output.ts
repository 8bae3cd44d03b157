import { EXIT_FAILED, EXIT_FINDINGS, EXIT_OK } from "./exit.ts";
import type { TextOutput } from "./io.ts";
import { writeError } from "./write-error.ts";

/** What a pipe says whose reader has left. */
const GONE: ReadonlySet<string> = new Set(["EPIPE", "ECONNRESET", "EOF"]);

/** A stream of the process's own, such as stdout. */
export interface OwnOutput {
  readonly isTTY?: boolean;
  on(event: "error", listener: (error: NodeJS.ErrnoException) => void): unknown;
}

/**
 * Listens to what goes wrong with standard output. A reader that leaves early
 * (`touchstone activity list | head`) is not a fault; a disk that is full, for one, is told, once.
 * @param failed called before the process ends, where something that was written is lost
 */
export function watchOutput(stdout: OwnOutput, stderr: TextOutput, failed: () => void): void {
  let told = false;
  stdout.on("error", (error) => {
    if (told || stdout.isTTY === true || GONE.has(error.code ?? "")) return;
    told = true;
    failed();
    stderr.write(`touchstone: ${writeError("standard output", error).message}\n`);
  });
}

/**
 * Returns the status of a command that has lost what it wrote: that it could not do its work, whether it found
 * something or not; what had ended it before is told.
 */
export function statusOfLost(code: number): number {
  return code === EXIT_OK || code === EXIT_FINDINGS ? EXIT_FAILED : code;
}
