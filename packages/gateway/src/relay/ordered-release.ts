import type { Frame } from "@touchstone/protocol/advanced";
import type { MessageOutput, PipelineRun } from "../pipeline/pipeline.ts";

/**
 * Releases results in the order in which they were added, so that a message that waits for its record is not
 * overtaken by the next one. The results themselves are computed at once.
 */
export class OrderedRelease<T> {
  readonly #release: (value: T) => Promise<void>;
  readonly #waiting: Added<T>[] = [];
  #last: Promise<void> = Promise.resolve();
  #length = 0;

  /** @param release called with each result in turn, after the previous one has resolved or failed */
  constructor(release: (value: T) => Promise<void>) {
    this.#release = release;
  }

  /** How many results are not released yet. */
  get length(): number {
    return this.#length;
  }

  /** Adds the promise of a result. Resolves when it has been released; rejects if it or its release does. */
  add(value: Promise<T>): Promise<void> {
    // A result that fails while it waits is handled when its turn comes.
    if (this.#length > 0) value.catch(() => {});
    this.#last = new Promise((resolve, reject) => {
      this.#waiting.push({ value, resolve, reject });
    });
    this.#length += 1;
    if (this.#length === 1) void this.#releaseAll();
    return this.#last;
  }

  /** Resolves when everything added so far has been released. */
  settled(): Promise<void> {
    return this.#last.catch(() => {});
  }

  async #releaseAll(): Promise<void> {
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      try {
        await this.#release(await next.value);
        next.resolve();
      } catch (error) {
        next.reject(error);
      }
      this.#length -= 1;
    }
  }
}

/** A result to release, and whom to notify. */
interface Added<T> {
  readonly value: Promise<T>;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** When so much waits for a reader that the writer must wait. */
export const BACKLOG_MESSAGES = 64;
export const BACKLOG_BYTES: number = 1024 * 1024;

/** A source that can be paused. */
export interface PausableSource {
  pause(): unknown;
  resume(): unknown;
}

/** How many frames, and bytes of them, may wait before the source is paused. */
export interface BacklogLimits {
  readonly messages: number;
  readonly bytes: number;
}

const READER: BacklogLimits = { messages: BACKLOG_MESSAGES, bytes: BACKLOG_BYTES };

/** Pauses a source while too much waits in the queue that it feeds. */
export class Backpressure {
  readonly #queue: { readonly length: number };
  readonly #source: PausableSource;
  readonly #limits: BacklogLimits;
  #bytes = 0;
  /** Frames that found the queue full, and are in it. */
  #beyond = 0;

  /** @param limits default: those of a reader */
  constructor(
    queue: { readonly length: number },
    source: PausableSource,
    limits: BacklogLimits = READER,
  ) {
    this.#queue = queue;
    this.#source = source;
    this.#limits = limits;
  }

  /**
   * Notes a frame that was added to the queue.
   * @param released resolves when it has left the queue
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

/**
 * How much may wait for a server, or for its tool list, before its client is not read either. Only a reader that
 * reads everything notices that a client has left, so this is more than clients send to a server that does not
 * respond.
 */
const WAITING_BYTES: number = 4 * 1024 * 1024;
/** Approximate memory of a waiting frame besides its bytes. */
const FRAME_BYTES = 1_024;

/** A checked frame, or a passage that is not a client frame. */
interface Taken {
  readonly ordered: boolean;
  readonly passage: Promise<MessageOutput>;
  readonly frame?: Frame;
}

/** A client's frames on their way to its server, in their original order. */
export class ClientFrameQueue {
  readonly #ordered: OrderedRelease<MessageOutput>;
  /** Calls that wait for the tool list, in their own order; other frames pass them. */
  readonly #held: OrderedRelease<MessageOutput>;
  readonly #heldIds: Set<string | undefined> = new Set();
  readonly #water: Backpressure;
  /** Frames that are being checked, and the last of them. */
  #unchecked = 0;
  #lastChecked: Promise<unknown> = Promise.resolve();

  /**
   * @param release takes each in turn, after the previous one has resolved
   * @param client paused while too much waits
   */
  constructor(release: (passage: MessageOutput) => Promise<void>, client: PausableSource) {
    this.#ordered = new OrderedRelease(release);
    this.#held = new OrderedRelease(release);
    this.#water = new Backpressure(this, client, { messages: Infinity, bytes: WAITING_BYTES });
  }

  /** How many wait. */
  get length(): number {
    return this.#ordered.length + this.#held.length + this.#unchecked;
  }

  /**
   * Adds a client frame.
   * @param bytes as they came
   */
  add(flow: Promise<PipelineRun>, bytes: number): void {
    this.#water.added(bytes + FRAME_BYTES, this.#takeChecked(flow));
  }

  /** Adds something other than a client frame, or a frame's replacement. Resolves when it is released. */
  addOther(passage: Promise<MessageOutput>): Promise<void> {
    return this.#takeChecked(this.#lastChecked.then(() => ({ ordered: true, passage })));
  }

  /** Takes a checked frame. Later frames wait too, so that the order holds. */
  async #takeChecked(flow: Promise<Taken>): Promise<void> {
    this.#unchecked += 1;
    this.#lastChecked = flow;
    const taken = await flow;
    this.#unchecked -= 1;
    await this.#take(taken);
  }

  #take({ ordered, frame, passage }: Taken): Promise<void> {
    if (frame === undefined) return this.#ordered.add(passage);
    const passes = ordered && !this.#followsHeld(frame);
    return passes ? this.#ordered.add(passage) : this.#hold(frame, passage);
  }

  /** Resolves when everything added so far has been released. */
  async settled(): Promise<void> {
    while (this.#unchecked > 0) await this.#lastChecked;
    await this.#held.settled();
    await this.#ordered.settled();
  }

  async #hold(frame: Frame, passage: Promise<MessageOutput>): Promise<void> {
    this.#heldIds.add(frame.idKey);
    await this.#held.add(passage);
    if (this.#held.length === 0) this.#heldIds.clear();
  }

  /** A call never passes earlier calls, nor does a cancellation pass its call. */
  #followsHeld(frame: Frame): boolean {
    if (this.#held.length === 0) return false;
    if (frame.method === "tools/call") return true;
    return frame.requestIdKey !== undefined && this.#heldIds.has(frame.requestIdKey);
  }
}
