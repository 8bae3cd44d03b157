/** When a reader has so much waiting for it that whoever writes has to wait. */
export const BACKLOG_MESSAGES = 64;
export const BACKLOG_BYTES: number = 1024 * 1024;
/** How long everybody else waits for a reader that does not read, in milliseconds. */
const STALL_MS = 30_000;

/** What can be told to give nothing for a while. */
export interface Source {
  pause(): unknown;
  resume(): unknown;
}

/** What may wait before the source is held back: so many frames, and so many bytes of them. */
export interface WaterLimits {
  readonly messages: number;
  readonly bytes: number;
}

const READER: WaterLimits = { messages: BACKLOG_MESSAGES, bytes: BACKLOG_BYTES };

/** Holds a source back as long as too much waits in the queue that what it gives goes through. */
export class HighWater {
  readonly #queue: { readonly length: number };
  readonly #source: Source;
  readonly #limits: WaterLimits;
  #bytes = 0;
  /** Frames that found the queue full, and are in it. */
  #beyond = 0;

  /** @param limits those of a reader by default */
  constructor(queue: { readonly length: number }, source: Source, limits: WaterLimits = READER) {
    this.#queue = queue;
    this.#source = source;
    this.#limits = limits;
  }

  /**
   * Takes note of a frame that was added to the queue.
   * @param released resolves when it has left it
   */
  added(bytes: number, released: Promise<void>): void {
    this.#bytes += bytes;
    const { messages, bytes: most } = this.#limits;
    const beyond = this.#queue.length > messages || this.#bytes > most;
    if (beyond) {
      this.#beyond += 1;
      this.#source.pause();
    }
    void released.then(() => {
      this.#bytes -= bytes;
      if (!beyond) return;
      this.#beyond -= 1;
      if (this.#beyond === 0) this.#source.resume();
    });
  }
}

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
