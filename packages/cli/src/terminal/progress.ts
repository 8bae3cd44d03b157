import type { CliIo } from "../io.ts";
import { actsOnEscapes } from "./capable.ts";
import { cutText } from "./table.ts";

/** Milliseconds between two words about the progress. */
const EVERY = 200;

/** Reports how far long work has come: on a terminal, in one line that is taken away at the end. */
export class Progress {
  readonly #stderr: CliIo["stderr"];
  readonly #now: () => Date;
  readonly #canErase: boolean;
  #last: number;
  #shown = false;

  constructor({ stderr, now, env }: Pick<CliIo, "stderr" | "now" | "env">) {
    this.#canErase = actsOnEscapes(stderr, env);
    this.#stderr = stderr;
    this.#now = now;
    this.#last = now().getTime();
  }

  /** Reports where the work is, unless it did so just before. */
  at(text: () => string): void {
    if (!this.#canErase) return;
    const now = this.#now().getTime();
    if (now - this.#last < EVERY) return;
    this.#last = now;
    this.show(text());
  }

  /** Says at once what is being done, before work of unknown length. */
  show(text: string): void {
    if (!this.#canErase) return;
    this.#shown = true;
    // A line that is wrapped could not be taken away.
    this.#stderr.write(`\r\u001b[K${cutText(text, (this.#stderr.columns || 80) - 1)}`);
  }

  /** Takes the line away, so that something else can be written. */
  clear(): void {
    if (this.#shown) this.#stderr.write("\r\u001b[K");
    this.#shown = false;
  }
}
