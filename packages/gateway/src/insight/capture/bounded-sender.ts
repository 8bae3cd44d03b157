import type { Logger } from "@touchstone/util";
import type { LostFrames } from "./line.ts";
import type { FromWriter, ToWriter } from "./messages.ts";

/** How many bytes of frames may wait to be written; a single frame may be larger. */
const MAX_WAITING_BYTES = 32 * 1024 * 1024;
/** How many frames may wait. */
const MAX_WAITING_FRAMES = 20_000;

/** The memory of a frame besides its bytes. */
const OVERHEAD = 512;
const TOO_SLOW = "the file could not be written as fast as frames came";

type Message = Exclude<ToWriter, { kind: "close" | "secrets" }>;

export interface BoundedSenderOptions {
  /** Sends a message; {@link BoundedSender.written} is called for each, in order. */
  readonly post: (message: Message) => void;
  readonly log: Logger;
  /** The file's name in log messages. */
  readonly file: string;
  readonly maxBytes?: number;
}

/**
 * Sends frames to a writer, up to a bound. Further frames are dropped and counted, so that a slow disk neither holds
 * up the relay nor fills its memory. The log reports when dropping begins and ends, and the file shows the gap.
 */
export class BoundedSender {
  readonly #options: BoundedSenderOptions;
  readonly #maxBytes: number;
  /** Sizes of the waiting frames, oldest first. */
  #waiting: number[] = [];
  #first = 0;
  #bytes = 0;
  #lost: LostFrames | undefined;
  #failing = false;

  constructor(options: BoundedSenderOptions) {
    this.#options = options;
    this.#maxBytes = options.maxBytes ?? MAX_WAITING_BYTES;
  }

  /** Takes a message, or counts it as lost. Its bytes must not be shared. */
  send(message: Message): void {
    const size = OVERHEAD + (message.kind === "frame" ? message.bytes.length : 0);
    const count = this.#waiting.length - this.#first;
    const fits = this.#bytes + size <= this.#maxBytes && count < MAX_WAITING_FRAMES;
    // After a loss, the next frame waits until there is room for more than that frame.
    if ((fits && this.#lost === undefined) || count === 0) this.#hand(message, size);
    else this.#lose(message);
  }

  /** Takes the writer's response to the oldest message. */
  written({ failed }: FromWriter): void {
    this.#bytes -= this.#waiting[this.#first] ?? 0;
    this.#first += 1;
    if (this.#first > 1_000) {
      this.#waiting = this.#waiting.slice(this.#first);
      this.#first = 0;
    }
    this.#tellFailure(failed);
    if (this.#lost !== undefined && this.#bytes <= this.#maxBytes / 2) this.tellLost();
  }

  /** Writes how many frames were lost, if any. */
  tellLost(): void {
    const lost = this.#lost;
    if (lost === undefined) return;
    this.#lost = undefined;
    this.#hand({ kind: "lost", time: new Date().toISOString(), lost }, OVERHEAD);
    const { log, file } = this.#options;
    log.error(`frames are missing from the capture: ${lost.reason}`, {
      file,
      frames: lost.frames,
      bytes: lost.bytes,
    });
  }

  #hand(message: Message, size: number): void {
    this.#waiting.push(size);
    this.#bytes += size;
    this.#options.post(message);
  }

  #lose(message: Message): void {
    if (message.kind === "lost") return;
    const { log, file } = this.#options;
    if (this.#lost === undefined) {
      log.error("frames are missing from the capture; messages are still forwarded", {
        file,
        reason: TOO_SLOW,
      });
    }
    const bytes = message.kind === "frame" ? message.bytes.length : 0;
    this.#lost = {
      frames: (this.#lost?.frames ?? 0) + 1,
      bytes: (this.#lost?.bytes ?? 0) + bytes,
      since: this.#lost?.since ?? message.frame.time,
      reason: TOO_SLOW,
    };
  }

  /** Logs once when writing begins to fail, and once when it works again. */
  #tellFailure(failed: string | undefined): void {
    const { log, file } = this.#options;
    if (failed !== undefined && !this.#failing) {
      log.error("the capture cannot be written; messages are still forwarded", {
        file,
        reason: failed,
      });
    } else if (failed === undefined && this.#failing) {
      log.warn("the capture is written again; the file shows what is missing", { file });
    }
    this.#failing = failed !== undefined;
  }
}
