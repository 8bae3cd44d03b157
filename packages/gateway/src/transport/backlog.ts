/** When a reader has so much waiting for it that whoever writes has to wait. */
export const BACKLOG_MESSAGES = 64;
export const BACKLOG_BYTES: number = 1024 * 1024;
/** How long everybody else waits for a reader that does not read, in milliseconds. */
const STALL_MS = 30_000;

/** Pauses a source that several readers share, as long as one of them has too much waiting. */
export class Backlogs {
  readonly #pause: () => void;
  readonly #resume: () => void;
  #full = 0;

  constructor(pause: () => void, resume: () => void) {
    this.#pause = pause;
    this.#resume = resume;
  }

  /** @param stalled is called when a reader was behind for 30 seconds: it holds up all others */
  reader(stalled: () => void): Backlog {
    return new Backlog((full) => this.#count(full), stalled);
  }

  #count(full: boolean): void {
    this.#full += full ? 1 : -1;
    if (full && this.#full === 1) this.#pause();
    if (!full && this.#full === 0) this.#resume();
  }
}

/** What waits for one reader. */
export class Backlog {
  readonly #tell: (full: boolean) => void;
  readonly #stalled: () => void;
  #messages = 0;
  #bytes = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(tell: (full: boolean) => void, stalled: () => void) {
    this.#tell = tell;
    this.#stalled = stalled;
  }

  /**
   * Takes note of a message until it is handed on.
   * @param released may reject: then it is gone as well
   */
  add(bytes: number, released: Promise<unknown>): void {
    this.#change(1, bytes);
    const gone = (): void => this.#change(-1, -bytes);
    released.then(gone, gone);
  }

  #change(messages: number, bytes: number): void {
    this.#messages += messages;
    this.#bytes += bytes;
    const full = this.#messages > BACKLOG_MESSAGES || this.#bytes > BACKLOG_BYTES;
    if (full === (this.#timer !== undefined)) return;
    clearTimeout(this.#timer);
    this.#timer = full ? setTimeout(this.#stalled, STALL_MS).unref() : undefined;
    this.#tell(full);
  }
}
