import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import { BoundedMap } from "../../bounded-map.ts";
import { EventLog, type Replay } from "./event-log.ts";
import { EventStream, type Reply, type StreamLog } from "./reply.ts";

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
