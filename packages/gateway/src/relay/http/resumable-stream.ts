import { setTimeout as delay } from "node:timers/promises";
import type { Gate } from "../gate.ts";
import { SseSplitter, SseTooLargeError } from "../sse.ts";
import { readBody } from "./body.ts";
import { hintFor, type PlainAnswer } from "./client-answers.ts";
import { mediaType } from "./forwarding.ts";
import { discard, UpstreamError, type UpstreamResponse } from "./upstream.ts";

/** How long a client waits before it asks for the rest of a stream, where the server says nothing. */
const RETRY_MS = 1_000;
const MAX_RETRY_MS = 30_000;
const MIN_RETRY_MS = 10;
/** Attempts in a row that brought no event. */
const MAX_ATTEMPTS = 5;

export interface StreamParts {
  readonly maxBytes: number;
  /** Closed while nobody can take more. */
  readonly gate: Gate;
  readonly signal: AbortSignal;
  readonly give: (message: Uint8Array) => void;
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

  /** Reads an answer to its end. Gives it where it was no stream, else hands on its messages. */
  async read(response: UpstreamResponse): Promise<PlainAnswer | undefined> {
    const { statusCode: status, headers, body } = response;
    const type = mediaType(headers["content-type"]);
    try {
      if (status < 300 && type === "text/event-stream") {
        await this.#readEvents(response);
        return undefined;
      }
      const bytes = await readBody(body, this.#parts.maxBytes);
      const message = type === "application/json" && bytes.length > 0 ? bytes : undefined;
      return { status, hint: hintFor(status), message };
    } finally {
      discard(response);
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
      await this.#followLater();
    }
  }

  /** Reads the stream of the server's own messages, as long as it gives one. */
  async listen(): Promise<void> {
    await this.#follow();
    while (this.#attempts < MAX_ATTEMPTS) {
      this.#attempts += 1;
      await this.#followLater();
    }
  }

  async #followLater(): Promise<void> {
    const wait = Math.min(Math.max(this.#retryMs, MIN_RETRY_MS), MAX_RETRY_MS);
    await delay(wait, undefined, { signal: this.#parts.signal });
    await this.#follow();
  }

  async #follow(): Promise<void> {
    const answer = await this.read(await this.#parts.get(this.#lastEventId));
    if (answer !== undefined) {
      throw new UpstreamError(`the server gave no stream: HTTP status ${answer.status}`);
    }
  }

  async #readEvents({ body }: UpstreamResponse): Promise<void> {
    const { gate, give, maxBytes, signal } = this.#parts;
    const splitter = new SseSplitter(maxBytes);
    try {
      for await (const chunk of body as AsyncIterable<Uint8Array>) {
        for (const { id, retry, type, data } of splitter.push(chunk)) {
          this.#attempts = 0;
          if (id !== undefined) this.#lastEventId = id === "" ? undefined : id;
          if (retry !== undefined) this.#retryMs = retry;
          if (type === "message" && data !== undefined && data.length > 0) give(data);
          if (gate.closed) await gate.passed();
        }
      }
    } catch (error) {
      // A connection that broke is resumed like one that was ended, where there is an id for it.
      const broke = !(error instanceof SseTooLargeError || signal.aborted);
      if (!broke || this.#lastEventId === undefined) throw error;
    }
  }
}
