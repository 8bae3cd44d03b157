import type { CutMessage } from "@touchstone/protocol";

/** Why a link to a peer ended. */
export interface LinkEnd {
  /** One line for people. */
  readonly reason: string;
  /** Exit status of a child process, where it was one that ended by itself. */
  readonly exitCode?: number;
  /** The signal that ended a child process. */
  readonly signal?: string;
  /** The signal was sent by the gateway, because the process had not left when asked to. */
  readonly stopped?: boolean;
  /** The process could not be started at all. */
  readonly failedToStart?: boolean;
  /** The system's code for that, such as `ENOENT`. */
  readonly code?: string;
}

/**
 * A peer that takes and gives JSON-RPC frames as bytes. Knows nothing of schemas or policy.
 */
export interface Link {
  /** Hands over one frame; resolves when the peer can take more. Frames after the end are dropped. */
  send(frame: Uint8Array): Promise<void>;
  /** Ends the peer in an orderly way; resolves when it is gone. */
  close(): Promise<void>;
  /** Resolves when the peer is gone, for whatever reason. Never rejects. */
  readonly ended: Promise<LinkEnd>;
}

/** A server at the other end of a link. */
export interface ServerLink extends Link {
  /**
   * @param graceMs how long the server may take to finish what it is doing
   * @param hurry when aborted, it has only a moment left
   */
  close(graceMs?: number, hurry?: AbortSignal): Promise<void>;
  /** Stops reading what the server sends until {@link resume}. */
  pause(): void;
  resume(): void;
}

/** What a link tells its owner. The callbacks must not throw. */
export interface LinkEvents {
  /**
   * One frame, as it came over HTTP.
   * @param answers the ids, by key, of the requests that it is about, if it is a response without an id
   */
  frame(bytes: Uint8Array, answers?: readonly string[]): void;
  /** One line of what a child process writes, without its line feed: mostly a frame. Told by links that read lines. */
  line?(bytes: Uint8Array): void;
  /**
   * A frame beyond the size limit, which is not kept whole.
   * @param answers the ids, by key, of the requests that can have no other response, where the link
   *   knows them; the message's size is then what had come of it
   */
  oversize(message: CutMessage, answers?: readonly string[]): void;
  /**
   * A response came in a form that nobody can read. Told by links that read HTTP.
   * @param reason one line for people
   * @param answers the ids, by key, of the requests that it was the response to
   */
  unreadable?(reason: string, answers: readonly string[]): void;
  /**
   * Called instead of {@link unreadable}, and instead of an error frame of the link's own, by links that read
   * HTTP: the requests with these ids, by key, have no response.
   * @param error why; its `cause` is the system's error if the server could not be reached
   */
  failed?(error: Error, answers: readonly string[]): void;
}

/** Keeps what a link tells until somebody listens, and hands it over in the same order. */
export class LateEvents implements LinkEvents {
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
