import { setTimeout as delay } from "node:timers/promises";
import { type PlainAnswer, plainAnswer } from "./client-answers.ts";
import { leftOutEvent, leftOutRest, speaks } from "./event-bytes.ts";
import { mediaType } from "./headers.ts";
import { SseSplitter, SseTooLargeError } from "./sse.ts";
import { UpstreamError, type UpstreamResponse } from "./upstream-call.ts";

/** How long a client waits before it asks for the rest of a stream, where the server says nothing. */
const RETRY_MS = 1_000;
const MAX_RETRY_MS = 30_000;
const MIN_RETRY_MS = 10;
/** Attempts in a row that brought no event, for a response that is awaited. */
const MAX_ATTEMPTS = 5;

/** HTTP statuses of a server that may give a stream later. */
const FOR_A_WHILE: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** The server gives no stream, now or later. */
class NoStreamError extends UpstreamError {}

export interface StreamParts {
  readonly maxBytes: number;
  /** Closed while nobody can take more. */
  readonly gate: Gate;
  readonly signal: AbortSignal;
  readonly give: (message: Uint8Array) => void;
  /** Called for what is left out of the stream, and whether it looks like a message. */
  readonly leftOut: (what: string, speaks: boolean) => void;
  /** Asks for the stream, or for what follows an event of it. */
  readonly get: (lastEventId: string | undefined) => Promise<UpstreamResponse>;
}

/**
 * What a server sends in answer to one request, or by itself: a body, or a stream of events that is
 * taken up again where it broke off (MCP 2025-11-25, Transports, Resumability and Redelivery).
 */
export class ResumableStream {
  readonly #parts: StreamParts;
  #lastEventId: string | undefined;
  #retryMs = RETRY_MS;
  #attempts = 0;

  constructor(parts: StreamParts) {
    this.#parts = parts;
  }

  /** Reads a response to the end. Gives it if it was not a stream, else passes on its messages. */
  async read(response: UpstreamResponse): Promise<PlainAnswer | undefined> {
    const { statusCode: status, headers, body } = response;
    const type = mediaType(headers["content-type"]);
    try {
      if (status < 300 && type === "text/event-stream") {
        await this.#readEvents(response);
        return undefined;
      }
      return plainAnswer(response, await body.whole(this.#parts.maxBytes));
    } finally {
      body.discard();
    }
  }

  /**
   * Asks for the rest of the stream until it has all come.
   * @param done whether everything has
   * @throws UpstreamError where the server does not give it
   */
  async resume(done: () => boolean): Promise<void> {
    while (!done() && this.#lastEventId !== undefined && this.#attempts < MAX_ATTEMPTS) {
      this.#attempts += 1;
      await this.#pause();
      await this.#follow();
    }
  }

  /**
   * Reads the stream of the server's own messages, which may be quiet for long: it is asked for again
   * whenever it ends, and while the server cannot be had.
   * @throws Error where the server gives none
   */
  async listen(): Promise<void> {
    for (;;) {
      try {
        await this.#follow();
      } catch (error) {
        const over = error instanceof NoStreamError || error instanceof SseTooLargeError;
        if (over || this.#parts.signal.aborted) throw error;
      }
      this.#attempts += 1;
      await this.#pause();
    }
  }

  async #pause(): Promise<void> {
    const wait = Math.max(this.#retryMs, MIN_RETRY_MS) * 2 ** (this.#attempts - 1);
    await delay(Math.min(wait, MAX_RETRY_MS), undefined, { signal: this.#parts.signal });
  }

  async #follow(): Promise<void> {
    const answer = await this.read(await this.#parts.get(this.#lastEventId));
    if (answer === undefined) return;
    const reason = `the server gave no stream: HTTP status ${answer.status}`;
    throw FOR_A_WHILE.has(answer.status) ? new UpstreamError(reason) : new NoStreamError(reason);
  }

  async #readEvents({ body }: UpstreamResponse): Promise<void> {
    const { gate, give, leftOut, maxBytes, signal } = this.#parts;
    const splitter = new SseSplitter(maxBytes);
    try {
      for await (const chunk of body.pieces()) {
        for (const event of splitter.push(chunk)) {
          const { id, retry, type, data } = event;
          this.#attempts = 0;
          if (id !== undefined) this.#lastEventId = id === "" ? undefined : id;
          if (retry !== undefined) this.#retryMs = retry;
          if (data !== undefined && data.length > 0) {
            if (type === "message") give(data);
            else leftOut(leftOutEvent(event), speaks(data));
          }
          if (gate.closed) await gate.passed();
        }
      }
      const rest = splitter.rest();
      const what = leftOutRest(rest);
      if (what !== undefined) leftOut(what, speaks(rest));
    } catch (error) {
      // A connection that broke is resumed like one that was ended, if there is an id for it.
      const broke = !(error instanceof SseTooLargeError || signal.aborted);
      if (!broke || this.#lastEventId === undefined) throw error;
    }
  }
}

/** Holds back whoever waits at it while it is closed. */
export class Gate {
  #opened: Promise<void> | undefined;
  #open: () => void = () => {};

  /** Whether waiting would take any time. */
  get closed(): boolean {
    return this.#opened !== undefined;
  }

  close(): void {
    this.#opened ??= new Promise((resolve) => {
      this.#open = resolve;
    });
  }

  open(): void {
    this.#open();
    this.#opened = undefined;
  }

  /** Resolves when the gate is open; at once where it is. */
  async passed(): Promise<void> {
    while (this.#opened !== undefined) await this.#opened;
  }
}

/** The stream of what a server says by itself, up to 2025-11-25: one for each session. */
export class ServerStream {
  readonly #open: (signal: AbortSignal) => ResumableStream;
  readonly #ended: (error: unknown) => void;
  #listening: AbortController | undefined;

  /** @param ended told that the server gives no stream, or no more of it */
  constructor(open: (signal: AbortSignal) => ResumableStream, ended: (error: unknown) => void) {
    this.#open = open;
    this.#ended = ended;
  }

  /** Listens, if nobody does yet. */
  begin(): void {
    if (this.#listening !== undefined) return;
    this.#listening = new AbortController();
    const { signal } = this.#listening;
    this.#open(signal)
      .listen()
      .catch((error: unknown) => {
        if (!signal.aborted) this.#ended(error);
      });
  }

  /** Listens in a new session, and no more in the one before. */
  beginAnew(): void {
    this.end();
    this.#listening = undefined;
    this.begin();
  }

  end(): void {
    this.#listening?.abort();
  }
}
