import type { Frame } from "@touchstone/protocol";
import type { Awaitable } from "../pipeline/awaitable.ts";
import type { Flow, Passage } from "../pipeline.ts";
import { HighWater, type Source } from "./high-water.ts";
import { OrderedRelease } from "./ordered.ts";

/**
 * What may wait for a server, or for its tool list, before its client is not read either. That a client has left
 * shows only to who reads all that it has sent: it must be more than clients send to a server that does not answer.
 */
const WAITING_BYTES: number = 4 * 1024 * 1024;
/** What a frame that waits takes beside its bytes, about. */
const FRAME_BYTES = 1_024;

/** A client's frames on their way to its server, in the order in which they came. */
export class ToServer {
  readonly #ordered: OrderedRelease<Passage>;
  /** Calls that wait for the tool list, in their own order; other frames pass them. */
  readonly #held: OrderedRelease<Passage>;
  readonly #heldIds: Set<string | undefined> = new Set();
  readonly #water: HighWater;

  /**
   * @param release takes each in turn, the next one after it has resolved
   * @param client held back while too much waits
   */
  constructor(release: (passage: Passage) => Promise<void> | undefined, client: Source) {
    this.#ordered = new OrderedRelease(release);
    this.#held = new OrderedRelease(release);
    this.#water = new HighWater(this, client, { messages: Infinity, bytes: WAITING_BYTES });
  }

  /** How many wait. */
  get length(): number {
    return this.#ordered.length + this.#held.length;
  }

  /** @param bytes of the frame as it came */
  add({ ordered, frame, passage }: Flow, bytes: number): void {
    const released =
      ordered && !this.#followsHeld(frame)
        ? this.#ordered.add(passage)
        : this.#hold(frame, passage);
    this.#water.added(bytes + FRAME_BYTES, released);
  }

  /** Adds what is no message of the client's, or what has become of one. Resolves once it is released. */
  addOther(passage: Passage | Promise<Passage>): Promise<void> {
    return this.#ordered.add(passage);
  }

  /** Resolves when everything that was added so far has been released. */
  async settled(): Promise<void> {
    await this.#held.settled();
    await this.#ordered.settled();
  }

  async #hold(frame: Frame, passage: Awaitable<Passage>): Promise<void> {
    this.#heldIds.add(frame.idKey);
    await this.#held.add(passage);
    if (this.#held.length === 0) this.#heldIds.clear();
  }

  /** A call does not pass the calls before it, nor a cancellation what it cancels. */
  #followsHeld(frame: Frame): boolean {
    if (this.#held.length === 0) return false;
    if (frame.method === "tools/call") return true;
    return frame.requestIdKey !== undefined && this.#heldIds.has(frame.requestIdKey);
  }
}
