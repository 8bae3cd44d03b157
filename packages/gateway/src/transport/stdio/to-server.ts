import type { Frame } from "@touchstone/protocol";
import type { Flow, Passage } from "../../pipeline.ts";
import type { Awaitable } from "../awaitable.ts";
import { HighWater, type Source } from "../backpressure.ts";
import { OrderedRelease } from "../ordered.ts";

/**
 * What may wait for a server, or for its tool list, before its client is not read either. That a client has left
 * shows only to who reads all that it has sent: it must be more than clients send to a server that does not answer.
 */
const WAITING_BYTES: number = 4 * 1024 * 1024;
/** What a frame that waits takes beside its bytes, about. */
const FRAME_BYTES = 1_024;

/** A frame that is checked, or a passage that is no frame of the client's. */
interface Taken {
  readonly ordered: boolean;
  readonly passage: Awaitable<Passage>;
  readonly frame?: Frame;
}

/** A client's frames on their way to its server, in the order in which they came. */
export class ToServer {
  readonly #ordered: OrderedRelease<Passage>;
  /** Calls that wait for the tool list, in their own order; other frames pass them. */
  readonly #held: OrderedRelease<Passage>;
  readonly #heldIds: Set<string | undefined> = new Set();
  readonly #water: HighWater;
  /** Frames that wait for a later turn of the event loop, and the last of them. */
  #later = 0;
  #lastLater: Promise<unknown> | undefined;

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
    return this.#ordered.length + this.#held.length + this.#later;
  }

  /** @param bytes of the frame as it came */
  add(flow: Flow, bytes: number): void {
    const { later } = flow;
    const released = later === undefined ? this.#take(flow) : this.#takeLater(later);
    this.#water.added(bytes + FRAME_BYTES, released);
  }

  #take({ ordered, frame, passage }: Taken): Promise<void> {
    if (frame === undefined) return this.#ordered.add(passage);
    const passes = ordered && !this.#followsHeld(frame);
    return passes ? this.#ordered.add(passage) : this.#hold(frame, passage);
  }

  /** Takes a frame once it is checked; those that come after it wait as well, so that the order holds. */
  #takeLater(later: Promise<Taken>): Promise<void> {
    this.#later += 1;
    const taken = later.then((flow) => {
      this.#later -= 1;
      return { released: this.#take(flow) };
    });
    this.#lastLater = taken;
    return taken.then(({ released }) => released);
  }

  /** Adds what is no message of the client's, or what has become of one. Resolves once it is released. */
  addOther(passage: Passage | Promise<Passage>): Promise<void> {
    if (this.#later === 0) return this.#ordered.add(passage);
    return this.#takeLater(
      Promise.resolve(this.#lastLater).then(() => ({ ordered: true, passage })),
    );
  }

  /** Resolves when everything that was added so far has been released. */
  async settled(): Promise<void> {
    while (this.#later > 0) await this.#lastLater;
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
