/** How long to hold back lines, in milliseconds. */
const HELD_MS = 1_000;

/**
 * Holds back the first lines that a server writes to stderr: if a server exits at the first request, it is started
 * again and writes the same lines again.
 */
export class StderrBuffer {
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

  /** Releases the lines that were held back; later lines are passed on at once. */
  release(): void {
    clearTimeout(this.#timer);
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const line of held) this.#write(line);
  }

  /** Discards the lines that were held back. */
  drop(): void {
    this.#held = [];
    this.release();
  }
}
