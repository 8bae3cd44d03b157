import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import { BoundedMap } from "../../util/bounded-map.ts";
import { roomIn } from "./responses.ts";
import { sseEvent, sseParts, ssePriming } from "./sse.ts";

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

/** How often a stream without messages shows that it is alive. */
const KEEP_ALIVE_MS = 15_000;
/** From this size on, a frame is written without a copy of it. */
const LARGE_BYTES = 1_048_576;
const COMMENT = Buffer.from(": \n\n");

export const SSE_HEADERS: OutgoingHttpHeaders = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
};

/** Where the events of a stream are kept for a client that comes back for them. */
export interface StreamLog {
  readonly log: EventLog;
  readonly stream: number;
  /** Whether the client's revision has events without data, which only tell an id. */
  readonly primed: boolean;
  /** Told when the client has not read for so long that its connection is closed. */
  readonly stalled: () => void;
}

/** A `text/event-stream` towards a client. */
export class EventStream {
  readonly #response: ServerResponse;
  readonly #kept: StreamLog | undefined;
  readonly #timer: NodeJS.Timeout | undefined;

  /** @param replayed events that the client has missed; without, a stream with ids tells its first */
  constructor(
    response: ServerResponse,
    headers: OutgoingHttpHeaders = {},
    kept?: StreamLog,
    replayed?: readonly LoggedEvent[],
  ) {
    this.#response = response;
    this.#kept = kept;
    response.writeHead(200, { ...SSE_HEADERS, ...headers });
    response.flushHeaders();
    // Of a client that has left already, no "close" is to come.
    if (!response.closed) {
      this.#timer = setInterval(() => {
        // To write is to be alive, also for the clock that finds a client that reads nothing.
        if (!response.writableNeedDrain) response.write(COMMENT);
      }, KEEP_ALIVE_MS);
      response.once("close", () => clearInterval(this.#timer));
    }
    if (replayed === undefined && kept?.primed) {
      response.write(ssePriming(kept.log.add(kept.stream)));
    }
    for (const { id, frame } of replayed ?? []) response.write(sseEvent(frame, id));
  }

  get open(): boolean {
    return !this.#response.destroyed && !this.#response.writableEnded;
  }

  /** Writes a frame as one event, or only keeps it; resolves when there is room for more. */
  async send(frame: Uint8Array): Promise<void> {
    const kept = this.#kept;
    const id = kept?.log.add(kept.stream, frame);
    if (!this.open) return;
    if (this.#write(frame, id)) return;
    await roomIn(this.#response, () => this.#abandon());
  }

  /** Writes an event in one turn: nothing may come between its parts. Returns whether there is room for more. */
  #write(frame: Uint8Array, id: string | undefined): boolean {
    const response = this.#response;
    if (frame.length < LARGE_BYTES) return response.write(sseEvent(frame, id));
    for (const part of sseParts(frame, id)) response.write(part);
    return !response.writableNeedDrain;
  }

  /** Ends a stream in whose place the client has opened another; it may never read this one. */
  leave(): void {
    if (this.#response.writableNeedDrain) this.#response.destroy();
    else this.end();
  }

  end(): void {
    clearInterval(this.#timer);
    this.#response.end();
  }

  /** What a client does not read is held here, and in a session holds up all that its server says. */
  #abandon(): void {
    this.#kept?.stalled();
    this.#response.destroy();
  }
}

/** Streams whose replies are kept for a client that comes back; the oldest is forgotten first. */
const MAX_STREAMS = 1_000;
/** From this revision on, a stream begins with an event that only tells an id. */
const PRIMED_SINCE = "2025-11-25";

/** What writes to a stream that a client can come back for. */
interface Resumable {
  /** Whether more is to come. */
  readonly open: boolean;
  /** Goes on writing to another stream. */
  resume(stream: EventStream): void;
}

/** The streams of one session that a client can come back for. */
export class SessionStreams {
  /** The stream for what the server says by itself. */
  readonly own: StreamLog;
  readonly #log: EventLog = new EventLog();
  readonly #replies: BoundedMap<number, Resumable> = new BoundedMap(MAX_STREAMS);
  readonly #revision: () => string | undefined;
  readonly #stalled: () => void;

  /**
   * @param revision what the session has agreed on so far
   * @param stalled told when a stream is closed since its client did not read it
   */
  constructor(revision: () => string | undefined, stalled: () => void) {
    this.#revision = revision;
    this.#stalled = stalled;
    this.own = this.#newStream();
  }

  /** Opens the stream of a reply. */
  begin(reply: Resumable): StreamLog {
    const kept = this.#newStream();
    this.#replies.set(kept.stream, reply);
    return kept;
  }

  /** What a client that names the last event it has seen is to get. */
  replay(lastEventId: string): Replay | undefined {
    return this.#log.after(lastEventId);
  }

  /** Sends what a client has missed of a reply's stream, and what is still to come. */
  resume({ stream, events }: Replay, response: ServerResponse, headers: OutgoingHttpHeaders): void {
    const reply = this.#replies.get(stream);
    // Some clients come back until they have a result: 204 tells them to stop (HTML, section 9.2).
    if (!reply?.open && events.length === 0) {
      response.writeHead(204, headers).end();
      return;
    }
    const resumed = new EventStream(response, headers, this.#kept(stream), events);
    if (reply?.open) {
      reply.resume(resumed);
    } else {
      this.#replies.take(stream);
      resumed.end();
    }
  }

  #newStream(): StreamLog {
    return this.#kept(this.#log.newStream());
  }

  #kept(stream: number): StreamLog {
    const revision = this.#revision;
    const log = this.#log;
    return {
      log,
      stream,
      stalled: this.#stalled,
      get primed() {
        return (revision() ?? "") >= PRIMED_SINCE;
      },
    };
  }
}
