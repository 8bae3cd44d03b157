import { setTimeout as delay } from "node:timers/promises";
import { mediaType } from "../../transport/http/headers.ts";
import { SseSplitter, SseTooLargeError } from "../../transport/http/sse.ts";
import { UpstreamError, type UpstreamResponse } from "../../transport/http/upstream-call.ts";
import { type BufferedResponse, bufferedResponse } from "./client-answers.ts";
import { mayBeMessage, skippedEventText, skippedRestText } from "./event-bytes.ts";

/** How long to wait before requesting the rest of a stream, if the server does not say. */
const RETRY_MS = 1_000;
const MAX_RETRY_MS = 30_000;
const MIN_RETRY_MS = 10;
/** How many attempts in a row may bring no event while a response is pending. */
const MAX_ATTEMPTS = 5;

/** HTTP statuses of a server that may offer a stream later. */
const FOR_A_WHILE: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** The server offers no stream, now or later. */
class NoStreamError extends UpstreamError {}

export interface StreamParts {
  readonly maxBytes: number;
  /** Closed while the receiver has no room. */
  readonly gate: Gate;
  readonly signal: AbortSignal;
  readonly give: (message: Uint8Array) => void;
  /** Called for parts that are left out of the stream, with whether they look like a message. */
  readonly leftOut: (what: string, speaks: boolean) => void;
  /** Requests the stream, or the events after one of its events. */
  readonly get: (lastEventId: string | undefined) => Promise<UpstreamResponse>;
}

/**
 * A server's response to one request, or the messages that it starts: a body, or a stream of events that is resumed
 * when it breaks off (MCP 2025-11-25, Transports, Resumability and Redelivery).
 */
export class ResumableStream {
  readonly #parts: StreamParts;
  #lastEventId: string | undefined;
  #retryMs = RETRY_MS;
  #attempts = 0;

  constructor(parts: StreamParts) {
    this.#parts = parts;
  }

  /** Reads a response to the end. Returns it if it was not a stream; else passes on its messages. */
  async read(response: UpstreamResponse): Promise<BufferedResponse | undefined> {
    const { statusCode: status, headers, body } = response;
    const type = mediaType(headers["content-type"]);
    try {
      if (status < 300 && type === "text/event-stream") {
        await this.#readEvents(response);
        return undefined;
      }
      return bufferedResponse(response, await body.whole(this.#parts.maxBytes));
    } finally {
      body.discard();
    }
  }

  /**
   * Requests the rest of the stream until all of it has come.
   * @param done returns whether it has
   * @throws UpstreamError if the server does not send it
   */
  async resume(done: () => boolean): Promise<void> {
    while (!done() && this.#lastEventId !== undefined && this.#attempts < MAX_ATTEMPTS) {
      this.#attempts += 1;
      await this.#pause();
      await this.#follow();
    }
  }

  /**
   * Reads the stream of messages that the server starts, which may be quiet for long. Requests it again whenever it
   * ends, and while the server is unreachable.
   * @throws Error if the server offers none
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
    const reason = `the server opened no stream: HTTP status ${answer.status}`;
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
            else leftOut(skippedEventText(event), mayBeMessage(data));
          }
          if (gate.closed) await gate.passed();
        }
      }
      const rest = splitter.rest();
      const what = skippedRestText(rest);
      if (what !== undefined) leftOut(what, mayBeMessage(rest));
    } catch (error) {
      // A broken connection is resumed like one that ended, if there is an id.
      const broke = !(error instanceof SseTooLargeError || signal.aborted);
      if (!broke || this.#lastEventId === undefined) throw error;
    }
  }
}

/** Holds back callers that wait at it while it is closed. */
export class Gate {
  #opened: Promise<void> | undefined;
  #open: () => void = () => {};

  /** Whether a caller would have to wait. */
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

  /** Resolves when the gate is open; at once if it is. */
  async passed(): Promise<void> {
    while (this.#opened !== undefined) await this.#opened;
  }
}

/** The stream of messages that a server starts, up to 2025-11-25: one for each session. */
export class ResumedServerStream {
  readonly #open: (signal: AbortSignal) => ResumableStream;
  readonly #ended: (error: unknown) => void;
  #listening: AbortController | undefined;
  #left = false;

  /** @param ended called when the server offers no stream, or no more of it */
  constructor(open: (signal: AbortSignal) => ResumableStream, ended: (error: unknown) => void) {
    this.#open = open;
    this.#ended = ended;
  }

  /** Listens, unless it does already, or was left. */
  begin(): void {
    if (this.#left || this.#listening !== undefined) return;
    this.#listening = new AbortController();
    const { signal } = this.#listening;
    this.#open(signal)
      .listen()
      .catch((error: unknown) => {
        if (!signal.aborted) this.#ended(error);
      });
  }

  /** Listens in a new session instead of the previous one. */
  beginAnew(): void {
    this.#listening?.abort();
    this.#listening = undefined;
    this.begin();
  }

  /** Leaves it for good, even if a session that is being renewed begins later. */
  end(): void {
    this.#left = true;
    this.#listening?.abort();
  }
}
