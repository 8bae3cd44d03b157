import type { TextOutput } from "./io.ts";

/** What a pipe says whose reader has left. */
const GONE: ReadonlySet<string> = new Set(["EPIPE", "ECONNRESET", "EOF"]);

/** A stream of the process's own, such as stdout. */
export interface OwnOutput {
  readonly isTTY?: boolean;
  on(event: "error", listener: (error: NodeJS.ErrnoException) => void): unknown;
}

/**
 * Listens to what goes wrong with standard output. A reader that leaves early
 * (`touchstone activity list | head`) is no fault; a disk that is full, for one, is told, once.
 * @param failed called before the process ends, where something that was written is lost
 */
export function watchOutput(stdout: OwnOutput, stderr: TextOutput, failed: () => void): void {
  let told = false;
  stdout.on("error", (error) => {
    if (told || stdout.isTTY === true || GONE.has(error.code ?? "")) return;
    told = true;
    failed();
    void import("./write-error.ts").then(({ writeError }) => {
      stderr.write(`touchstone: ${writeError("standard output", error).message}\n`);
    });
  });
}
