import { once } from "node:events";
import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import { sseEvent } from "../sse.ts";

/** How long an answer is awaited before the stream is opened, so that no client gives up. */
const OPEN_AFTER_MS = 5_000;
/** How often a stream without messages shows that it is alive. */
const KEEP_ALIVE_MS = 15_000;
const COMMENT = Buffer.from(": \n\n");

const SSE_HEADERS: OutgoingHttpHeaders = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
};

/** A `text/event-stream` towards a client. */
export class EventStream {
  readonly #response: ServerResponse;
  readonly #timer: NodeJS.Timeout;

  constructor(response: ServerResponse, headers: OutgoingHttpHeaders = {}) {
    this.#response = response;
    response.writeHead(200, { ...SSE_HEADERS, ...headers });
    response.flushHeaders();
    this.#timer = setInterval(() => response.write(COMMENT), KEEP_ALIVE_MS);
    response.once("close", () => clearInterval(this.#timer));
  }

  get open(): boolean {
    return !this.#response.destroyed && !this.#response.writableEnded;
  }

  /** Writes a frame as one event; resolves when there is room for more. */
  async send(frame: Uint8Array): Promise<void> {
    if (!this.open) return;
    if (this.#response.write(sseEvent(frame))) return;
    await Promise.race([once(this.#response, "drain"), once(this.#response, "close")]).catch(
      () => {},
    );
  }

  end(): void {
    clearInterval(this.#timer);
    this.#response.end();
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

  /** @param expected how many requests the POST holds */
  constructor(response: ServerResponse, expected: number) {
    this.#response = response;
    this.#expected = expected;
    if (expected > 0) this.#timer = setTimeout(() => this.#open(), OPEN_AFTER_MS);
    response.once("close", () => clearTimeout(this.#timer));
  }

  get open(): boolean {
    return !this.#response.destroyed && !this.#response.writableEnded;
  }

  /** Sets a header of the answer, or takes it back, as long as nothing was written. */
  header(name: string, value: string | undefined): void {
    if (value === undefined) delete this.#headers[name];
    else this.#headers[name] = value;
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
    this.#expected -= count;
    if (!this.open) return;
    if (this.#expected <= 0 && this.#stream === undefined) {
      this.json(status, frame);
      return;
    }
    await this.#open().send(frame);
    if (this.#expected <= 0) this.#stream?.end();
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
    this.#response.end(body);
  }

  /** Ends without a body: the POST held nothing that is answered. */
  accepted(): void {
    if (!this.open || this.#response.headersSent) return;
    this.#response.writeHead(202, this.#headers).end();
  }

  #open(): EventStream {
    clearTimeout(this.#timer);
    this.#stream ??= new EventStream(this.#response, this.#headers);
    return this.#stream;
  }
}
