import { jsonLine } from "@touchstone/gateway/log";
import type { TerminalOutput } from "../terminal/cli-io.ts";

/** How many bytes may wait for a reader: otherwise the output of a server could accumulate without a limit. */
const MAX_WAITING: number = 1024 * 1024;

/** The parts of a stream that are used here. */
export interface DrainableStream extends TerminalOutput {
  /** How many bytes have not been read yet. */
  readonly writableLength: number;
}

/**
 * Writes to stderr as long as it is read: some programs start this one with a pipe that they never read. Texts are
 * dropped while more than 1 MiB waits. The first text after that is preceded by a line with the number of dropped
 * ones.
 */
export class BoundedStderr implements TerminalOutput {
  readonly #stream: DrainableStream;
  #dropped = 0;

  constructor(stream: DrainableStream) {
    this.#stream = stream;
  }

  get isTTY(): boolean {
    return this.#stream.isTTY === true;
  }

  get columns(): number {
    return this.#stream.columns ?? 0;
  }

  write(text: string): void {
    if (this.#stream.writableLength > MAX_WAITING) {
      this.#dropped += 1;
      return;
    }
    if (this.#dropped > 0) {
      const note = `stderr was not read: ${this.#dropped} lines were dropped`;
      this.#dropped = 0;
      // In a log in JSON, each line begins with a brace.
      const isJson = text.startsWith("{");
      this.#stream.write(`${isJson ? jsonLine("warn", note, {}) : `touchstone warn: ${note}`}\n`);
    }
    this.#stream.write(text);
  }
}
