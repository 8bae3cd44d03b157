import type { Frame } from "@touchstone/protocol";
import type { Flow, Passage } from "../../pipeline/pipeline.ts";
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
  readonly passage: Promise<Passage>;
  readonly frame?: Frame;
}

/** A client's frames on their way to its server, in the order in which they came. */
export class ToServer {
  readonly #ordered: OrderedRelease<Passage>;
  /** Calls that wait for the tool list, in their own order; other frames pass them. */
  readonly #held: OrderedRelease<Passage>;
  readonly #heldIds: Set<string | undefined> = new Set();
  readonly #water: HighWater;
  /** Frames that are being checked, and the last of them. */
  #unchecked = 0;
  #lastChecked: Promise<unknown> = Promise.resolve();

  /**
   * @param release takes each in turn, the next one after it has resolved
   * @param client held back while too much waits
   */
  constructor(release: (passage: Passage) => Promise<void>, client: Source) {
    this.#ordered = new OrderedRelease(release);
    this.#held = new OrderedRelease(release);
    this.#water = new HighWater(this, client, { messages: Infinity, bytes: WAITING_BYTES });
  }

  /** How many wait. */
  get length(): number {
    return this.#ordered.length + this.#held.length + this.#unchecked;
  }

  /**
   * Adds a frame of the client's.
   * @param bytes of it as it came
   */
  add(flow: Promise<Flow>, bytes: number): void {
    this.#water.added(bytes + FRAME_BYTES, this.#takeChecked(flow));
  }

  /**
   * Adds what is no message of the client's, or what has become of one. Resolves once it is released.
   */
  addOther(passage: Promise<Passage>): Promise<void> {
    return this.#takeChecked(this.#lastChecked.then(() => ({ ordered: true, passage })));
  }

  /** Takes a frame once it is checked; those that come after it wait as well, so that the order holds. */
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

  /** Resolves when everything that was added so far has been released. */
  async settled(): Promise<void> {
    while (this.#unchecked > 0) await this.#lastChecked;
    await this.#held.settled();
    await this.#ordered.settled();
  }

  async #hold(frame: Frame, passage: Promise<Passage>): Promise<void> {
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
