import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import { BoundedMap } from "../../util/bounded-map.ts";
import { EventLog, type LoggedEvent, type Replay } from "./event-log.ts";
import { endWith, roomIn } from "./responses.ts";
import { sseEvent, sseParts, ssePriming } from "./sse.ts";

/** How long an answer is awaited before the stream is opened, so that no client gives up. */
const OPEN_AFTER_MS = 5_000;
/** How often a stream without messages shows that it is alive. */
const KEEP_ALIVE_MS = 15_000;
/** From this size on, a frame is written without a copy of it. */
const LARGE_BYTES = 1_048_576;
const COMMENT = Buffer.from(": \n\n");

const SSE_HEADERS: OutgoingHttpHeaders = {
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

/**
 * The answer to one POST of Streamable HTTP (MCP 2025-11-25, Transports): one JSON body where the
 * answer is the first message, a stream where others come before it or it takes long.
 */
export class Reply {
  readonly #response: ServerResponse;
  readonly #headers: OutgoingHttpHeaders = {};
  #expected: number;
  #stream: EventStream | undefined;
  #timer: NodeJS.Timeout | undefined;
  readonly #begin: (() => StreamLog) | undefined;
  #kept: StreamLog | undefined;

  /**
   * @param expected how many requests the POST holds
   * @param begin called when a stream is opened that a client may come back for
   */
  constructor(response: ServerResponse, expected: number, begin?: () => StreamLog) {
    this.#response = response;
    this.#begin = begin;
    this.#expected = expected;
    if (expected === 0 || response.closed) return;
    this.#timer = setTimeout(() => this.#open(), OPEN_AFTER_MS);
    response.once("close", () => clearTimeout(this.#timer));
  }

  /** Whether what is written gets to the client, or can be had by it when it comes back. */
  get open(): boolean {
    if (this.#kept !== undefined) return this.#expected > 0;
    return !this.#response.destroyed && !this.#response.writableEnded;
  }

  /** Goes on writing to a stream that the client has come back on. */
  resume(stream: EventStream): void {
    this.#stream?.leave();
    this.#stream = stream;
  }

  /** Sets a header of the answer, or takes it back, as long as nothing was written. */
  header(name: string, value: string | undefined): void {
    if (value === undefined) delete this.#headers[name];
    else this.#headers[name] = value;
  }

  /** Waits for so many answers more than there are requests. */
  expect(more: number): void {
    this.#expected += more;
  }

  /** A message that goes before the answer. */
  async message(frame: Uint8Array): Promise<void> {
    if (this.open) await this.#open().send(frame);
  }

  /**
   * An answer, or a batch of `count` answers. With the last one the reply ends. The status counts
   * where the answer is the whole body.
   */
  async answer(
    frame: Uint8Array,
    { status = 200, count = 1 }: { readonly status?: number; readonly count?: number } = {},
  ): Promise<void> {
    const { open } = this;
    this.#expected -= count;
    if (!open) return;
    if (this.#expected <= 0 && this.#stream === undefined) {
      this.json(status, frame);
      return;
    }
    await this.#open().send(frame);
    if (this.#expected <= 0) this.#stream?.end();
  }

  /**
   * Takes back `count` requests that get no answer. With the last one the reply ends: as a stream,
   * which unlike a JSON body may be without one.
   */
  withdraw(count: number): void {
    const { open } = this;
    this.#expected -= count;
    if (count === 0 || !open || this.#expected > 0) return;
    clearTimeout(this.#timer);
    if (this.#stream !== undefined) this.#stream.end();
    else if (!this.#response.headersSent) {
      this.#response.writeHead(200, { ...SSE_HEADERS, ...this.#headers }).end();
    }
  }

  /** Ends with a JSON body at once. */
  json(status: number, body: Uint8Array): void {
    clearTimeout(this.#timer);
    if (!this.open || this.#response.headersSent) return;
    this.#response.writeHead(status, {
      ...this.#headers,
      "content-type": "application/json",
      "content-length": body.length,
    });
    endWith(this.#response, body);
  }

  /** Ends without a body: the POST held nothing that is answered. */
  accepted(): void {
    if (!this.open || this.#response.headersSent) return;
    this.#response.writeHead(202, this.#headers).end();
  }

  /** Closes the connection of a client that does not read. */
  abandon(): void {
    this.#response.destroy();
  }

  #open(): EventStream {
    clearTimeout(this.#timer);
    if (this.#stream === undefined) {
      this.#kept = this.#begin?.();
      this.#stream = new EventStream(this.#response, this.#headers, this.#kept);
    }
    return this.#stream;
  }
}

/** Streams whose replies are kept for a client that comes back; the oldest is forgotten first. */
const MAX_STREAMS = 1_000;
/** From this revision on, a stream begins with an event that only tells an id. */
const PRIMED_SINCE = "2025-11-25";

/** The streams of one session that a client can come back for. */
export class SessionStreams {
  /** The stream for what the server says by itself. */
  readonly own: StreamLog;
  readonly #log: EventLog = new EventLog();
  readonly #replies: BoundedMap<number, Reply> = new BoundedMap(MAX_STREAMS);
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
  begin(reply: Reply): StreamLog {
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
