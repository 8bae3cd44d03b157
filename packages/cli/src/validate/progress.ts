import type { CliIo, TextOutput } from "../io.ts";

/** Milliseconds between two words about the progress. */
const EVERY = 200;

/** Tells how far long work has come: on a terminal, in one line that is taken away at the end. */
export class Progress {
  readonly #stderr: TextOutput & { readonly isTTY?: boolean };
  readonly #now: () => Date;
  #last: number;
  #shown = false;

  constructor({ stderr, now }: Pick<CliIo, "stderr" | "now">) {
    this.#stderr = stderr;
    this.#now = now;
    this.#last = now().getTime();
  }

  /** Says where the work is, unless it did so just before. */
  at(text: () => string): void {
    if (this.#stderr.isTTY !== true) return;
    const now = this.#now().getTime();
    if (now - this.#last < EVERY) return;
    this.#last = now;
    this.#shown = true;
    this.#stderr.write(`\r\u001b[K${text()}`);
  }

  /** Takes the line away, so that something else can be written. */
  clear(): void {
    if (this.#shown) this.#stderr.write("\r\u001b[K");
    this.#shown = false;
  }
}
