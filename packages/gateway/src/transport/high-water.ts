import { BACKLOG_BYTES, BACKLOG_MESSAGES } from "./backlog.ts";

/** Smaller frames are bounded enough by their number, and most are. */
const LARGE_BYTES = 16_384;

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
    const { length } = this.#queue;
    if (length <= BACKLOG_MESSAGES && (bytes < LARGE_BYTES || length === 0)) return;
    this.#bytes += bytes;
    const { messages, bytes: most } = this.#limits;
    const beyond = length > messages || this.#bytes > most;
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
