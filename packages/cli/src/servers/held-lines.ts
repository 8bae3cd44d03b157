/** How long lines are held, in milliseconds. */
const HELD_MS = 1_000;

/**
 * Holds back the first lines that a server writes to stderr: one that ends at the first question is started
 * once more, and says the same again.
 */
export class HeldLines {
  readonly #write: (line: string) => void;
  readonly #timer: NodeJS.Timeout;
  #held: string[] | undefined = [];

  constructor(write: (line: string) => void) {
    this.#write = write;
    this.#timer = setTimeout(() => this.release(), HELD_MS);
    this.#timer.unref();
  }

  readonly take = (line: string): void => {
    if (this.#held === undefined) this.#write(line);
    else this.#held.push(line);
  };

  /** Lets go what is held, and what comes from now on. */
  release(): void {
    clearTimeout(this.#timer);
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const line of held) this.#write(line);
  }

  /** Forgets what is held. */
  drop(): void {
    this.#held = [];
    this.release();
  }
}
