import type { CutMessage } from "@touchstone/protocol/advanced";

/** Why a link to a peer ended. */
export interface LinkEnd {
  /** One line for people. */
  readonly reason: string;
  /** Exit status of a child process that ended by itself. */
  readonly exitCode?: number;
  /** The signal that ended a child process. */
  readonly signal?: string;
  /** Whether the gateway sent the signal, because the process did not leave when asked to. */
  readonly stopped?: boolean;
  /** Whether the process could not be started at all. */
  readonly failedToStart?: boolean;
  /** The system's error code, such as `ENOENT`. */
  readonly code?: string;
}

/** A peer that receives and sends JSON-RPC frames as bytes. It knows nothing of schemas or policy. */
export interface Link {
  /** Sends one frame; resolves when the peer can take more. Frames after the end are dropped. */
  send(frame: Uint8Array): Promise<void>;
  /** Ends the peer gracefully; resolves when it is gone. */
  close(): Promise<void>;
  /** Resolves when the peer is gone, for whatever reason. Never rejects. */
  readonly ended: Promise<LinkEnd>;
}

/** A server at the other end of a link. */
export interface ServerLink extends Link {
  /**
   * @param graceMs how long the server may take to finish
   * @param hurry when aborted, it has only a short time left
   */
  close(graceMs?: number, hurry?: AbortSignal): Promise<void>;
  /** Stops reading what the server sends until {@link resume}. */
  pause(): void;
  resume(): void;
}

/** What a link reports to its owner. The callbacks must not throw. */
export interface LinkEvents {
  /**
   * One frame over HTTP.
   * @param answers the ids, by key, of the requests that it is about, if it is a response without an id
   */
  frame(bytes: Uint8Array, answers?: readonly string[]): void;
  /** One line of a child process, without its line feed: usually a frame. Links that read lines call it. */
  line?(bytes: Uint8Array): void;
  /**
   * A frame over the size limit, which is not kept as a whole.
   * @param answers the ids, by key, of the requests that can get no other response, if the link knows them; the
   *   message's size is then the size so far
   */
  oversize(message: CutMessage, answers?: readonly string[]): void;
  /**
   * An unreadable response. Links that read HTTP call it.
   * @param reason one line for people
   * @param answers the ids, by key, of the requests that it answered
   */
  unreadable?(reason: string, answers: readonly string[]): void;
  /**
   * An HTTP response to a message that has none, such as a notification. Links that read HTTP call it.
   * @param reason what is wrong with it, in one line
   */
  acknowledgement?(reason: string): void;
  /**
   * The requests with these ids, by key, get no response. Links that read HTTP call it instead of {@link unreadable},
   * and instead of sending an error frame.
   * @param error why; its `cause` is the system's error if the server was unreachable
   */
  failed?(error: Error, answers: readonly string[]): void;
}

/** Buffers a link's reports until somebody listens, and then delivers them in the same order. */
export class BufferedLinkEvents implements LinkEvents {
  #kept: ((events: LinkEvents) => void)[] = [];
  #events: LinkEvents | undefined;

  frame(bytes: Uint8Array, answers?: readonly string[]): void {
    this.#tell((events) => events.frame(bytes, answers));
  }

  line(bytes: Uint8Array): void {
    this.#tell((events) => (events.line ? events.line(bytes) : events.frame(bytes)));
  }

  oversize(message: CutMessage, answers?: readonly string[]): void {
    this.#tell((events) => events.oversize(message, answers));
  }

  unreadable(reason: string, answers: readonly string[]): void {
    this.#tell((events) => events.unreadable?.(reason, answers));
  }

  acknowledgement(reason: string): void {
    this.#tell((events) => events.acknowledgement?.(reason));
  }

  attach(events: LinkEvents): void {
    this.#events = events;
    for (const tell of this.#kept) tell(events);
    this.#kept = [];
  }

  #tell(tell: (events: LinkEvents) => void): void {
    if (this.#events === undefined) this.#kept.push(tell);
    else tell(this.#events);
  }
}
