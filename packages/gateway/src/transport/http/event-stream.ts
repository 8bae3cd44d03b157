import type { OutgoingHttpHeaders } from "node:http";
import { BoundedMap } from "@touchstone/util";
import type { HttpResponse } from "./http-message.ts";
import { keepAlive, waitForDrain } from "./responses.ts";
import { sseEvent, sseParts, ssePrimingEvent } from "./sse.ts";

/** How many events and bytes of one session to keep for clients that reconnect; the oldest are dropped first. */
const MAX_EVENTS = 1_000;
const MAX_BYTES = 4 * 1024 * 1024;
const ID = /^(\d{1,15})-(\d{1,15})$/;

interface Kept {
  readonly stream: number;
  readonly number: number;
  readonly frame: Uint8Array;
}

/** An event to send again. */
export interface LoggedEvent {
  readonly id: string;
  readonly frame: Uint8Array;
}

/** The events that follow a given one on its stream. */
export interface Replay {
  readonly stream: number;
  readonly events: readonly LoggedEvent[];
  /** Whether some of them were dropped. */
  readonly incomplete: boolean;
}

/**
 * The last events of one session's streams, with the ids under which a client can request what follows (MCP
 * 2025-11-25, Transports, Resumability and Redelivery). An id names its stream, so messages of one stream are never
 * sent on another.
 */
export class EventLog {
  readonly #maxEvents: number;
  readonly #maxBytes: number;
  readonly #kept: Kept[] = [];
  #bytes = 0;
  #streams = 0;
  #numbers = 0;
  /** The number of the last dropped event, by stream, in the order in which events were dropped. */
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

  /** Returns an event's id, and keeps the event if it has a frame. */
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

  /** Returns the events after one. Undefined for an id that this log never returned. */
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
    // Keeps the order: streams whose events were dropped long ago are forgotten first.
    this.#gone.delete(oldest.stream);
    this.#gone.set(oldest.stream, oldest.number);
    const [first] = this.#gone.keys();
    if (this.#gone.size > this.#maxEvents && first !== undefined) this.#gone.delete(first);
  }
}

/** From this size on, a frame is written without copying it. */
const LARGE_BYTES = 1_048_576;

export const SSE_HEADERS: OutgoingHttpHeaders = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
};

/** The log that keeps the stream's events for a client that reconnects. */
export interface StreamLog {
  readonly log: EventLog;
  readonly stream: number;
  /** Whether the client's revision allows events without data, which only carry an id. */
  readonly primed: boolean;
  /** Called when the client has not read for so long that its connection is closed. */
  readonly stalled: () => void;
}

/** A `text/event-stream` to a client. */
export class EventStream {
  readonly #response: HttpResponse;
  readonly #kept: StreamLog | undefined;

  /** @param replayed events that the client missed; without them, a stream with ids first sends its id */
  constructor(
    response: HttpResponse,
    headers: OutgoingHttpHeaders = {},
    kept?: StreamLog,
    replayed?: readonly LoggedEvent[],
  ) {
    this.#response = response;
    this.#kept = kept;
    response.writeHead(200, { ...SSE_HEADERS, ...headers });
    response.flushHeaders();
    keepAlive(response);
    if (replayed === undefined && kept?.primed) {
      response.write(ssePrimingEvent(kept.log.add(kept.stream)));
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
    await waitForDrain(this.#response, () => this.#abandon());
  }

  /**
   * Writes an event in one turn of the event loop, so that nothing comes between its parts. Returns whether there is
   * room for more.
   */
  #write(frame: Uint8Array, id: string | undefined): boolean {
    const response = this.#response;
    if (frame.length < LARGE_BYTES) return response.write(sseEvent(frame, id));
    for (const part of sseParts(frame, id)) response.write(part);
    return !response.writableNeedDrain;
  }

  /** Ends a stream that the client has replaced by another one; the client may never read the old one. */
  leave(): void {
    if (this.#response.writableNeedDrain) this.#response.destroy();
    else this.end();
  }

  end(): void {
    this.#response.end();
  }

  /**
   * Messages that a client does not read accumulate here and, in a session, block everything that its server sends.
   */
  #abandon(): void {
    this.#kept?.stalled();
    this.#response.destroy();
  }
}

/** How many streams of replies to keep for clients that reconnect; the oldest are dropped first. */
const MAX_STREAMS = 1_000;
/** From this revision on, a stream begins with an event that only carries an id. */
const PRIMED_SINCE = "2025-11-25";

/** A writer to a stream that a client can resume. */
interface Resumable {
  /** Whether more messages will follow. */
  readonly open: boolean;
  /** Continues on another stream. */
  resume(stream: EventStream): void;
}

/** The resumable streams of one session. */
export class SessionStreams {
  /** The stream for messages that the server starts. */
  readonly own: StreamLog;
  readonly #log: EventLog = new EventLog();
  readonly #replies: BoundedMap<number, Resumable> = new BoundedMap(MAX_STREAMS);
  readonly #revision: () => string | undefined;
  readonly #stalled: () => void;

  /**
   * @param revision the agreed revision so far
   * @param stalled called when a stream is closed because its client did not read
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

  /** Returns the stream for a client that names the last event it has seen. */
  replay(lastEventId: string): Replay | undefined {
    return this.#log.after(lastEventId);
  }

  /** Sends the messages of a reply's stream that a client missed, and the others as they arrive. */
  resume({ stream, events }: Replay, response: HttpResponse, headers: OutgoingHttpHeaders): void {
    const reply = this.#replies.get(stream);
    // Some clients reconnect until they have a result; 204 makes them stop (HTML, section 9.2).
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
