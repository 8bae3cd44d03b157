import { interpretsEscapes } from "./capable.ts";
import type { CliIo } from "./cli-io.ts";
import { cutText } from "./table.ts";

/** Milliseconds between two progress updates. */
const EVERY = 200;

/** Reports the progress of long work: on a terminal, on one line that is erased at the end. */
export class Progress {
  readonly #stderr: CliIo["stderr"];
  readonly #now: () => Date;
  readonly #canErase: boolean;
  #last: number;
  #shown = false;

  constructor({ stderr, now, env }: Pick<CliIo, "stderr" | "now" | "env">) {
    this.#canErase = interpretsEscapes(stderr, env);
    this.#stderr = stderr;
    this.#now = now;
    this.#last = now().getTime();
  }

  /** Reports the progress, unless it was just reported. */
  at(text: () => string): void {
    if (!this.#canErase) return;
    const now = this.#now().getTime();
    if (now - this.#last < EVERY) return;
    this.#last = now;
    this.show(text());
  }

  /** Shows a text at once, before work of unknown length. */
  show(text: string): void {
    if (!this.#canErase) return;
    this.#shown = true;
    // A wrapped line could not be erased.
    this.#stderr.write(`\r\u001b[K${cutText(text, (this.#stderr.columns || 80) - 1)}`);
  }

  /** Erases the line so that something else can be written. */
  clear(): void {
    if (this.#shown) this.#stderr.write("\r\u001b[K");
    this.#shown = false;
  }
}
