/** Events and bytes that are kept of one session for clients that come back; the oldest go first. */
const MAX_EVENTS = 1_000;
const MAX_BYTES = 4 * 1024 * 1024;
const ID = /^(\d{1,15})-(\d{1,15})$/;

interface Kept {
  readonly stream: number;
  readonly number: number;
  readonly frame: Uint8Array;
}

/** An event as it is sent again. */
export interface LoggedEvent {
  readonly id: string;
  readonly frame: Uint8Array;
}

/** What follows an event on its stream. */
export interface Replay {
  readonly stream: number;
  readonly events: readonly LoggedEvent[];
  /** Whether some of it is not kept any more. */
  readonly incomplete: boolean;
}

/**
 * The last events of one session's streams, with the ids under which a client can ask for what
 * follows (MCP 2025-11-25, Transports, Resumability and Redelivery). An id names its stream, so
 * that no stream's messages are sent on another.
 */
export class EventLog {
  readonly #maxEvents: number;
  readonly #maxBytes: number;
  readonly #kept: Kept[] = [];
  #bytes = 0;
  #streams = 0;
  #numbers = 0;
  /** By stream, the number of the last event that is gone; the streams in the order in which those went. */
  readonly #gone: Map<number, number> = new Map();

  constructor(maxEvents: number = MAX_EVENTS, maxBytes: number = MAX_BYTES) {
    this.#maxEvents = maxEvents;
    this.#maxBytes = maxBytes;
  }

  /** The number of a new stream. */
  newStream(): number {
    this.#streams += 1;
    return this.#streams;
  }

  /** Gives an event's id, and keeps the event where it has a frame. */
  add(stream: number, frame?: Uint8Array): string {
    this.#numbers += 1;
    const number = this.#numbers;
    if (frame !== undefined) {
      this.#kept.push({ stream, number, frame });
      this.#bytes += frame.length;
      while (this.#kept.length > this.#maxEvents || this.#bytes > this.#maxBytes) this.#drop();
    }
    return `${stream}-${number}`;
  }

  /** What follows an event. Undefined for an id that this log never gave. */
  after(id: string): Replay | undefined {
    const [, stream, number] = (ID.exec(id) ?? []).map(Number);
    if (stream === undefined || number === undefined) return undefined;
    if (stream > this.#streams || number < 1 || number > this.#numbers) return undefined;
    const later = this.#kept.filter((event) => event.stream === stream && event.number > number);
    return {
      stream,
      events: later.map((event) => ({ id: `${stream}-${event.number}`, frame: event.frame })),
      incomplete: (this.#gone.get(stream) ?? 0) > number,
    };
  }

  #drop(): void {
    const oldest = this.#kept.shift();
    if (oldest === undefined) return;
    this.#bytes -= oldest.frame.length;
    // Behind the others: streams whose events went long ago are not asked for any more.
    this.#gone.delete(oldest.stream);
    this.#gone.set(oldest.stream, oldest.number);
    const [first] = this.#gone.keys();
    if (this.#gone.size > this.#maxEvents && first !== undefined) this.#gone.delete(first);
  }
}
