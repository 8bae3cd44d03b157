import type { OutgoingHttpHeaders } from "node:http";
import { EventStream, SSE_HEADERS, type StreamLog } from "./event-stream.ts";
import type { HttpResponse } from "./http-message.ts";
import { endResponse } from "./responses.ts";

/** How long to wait for a response before opening the stream, so that no client gives up. */
const OPEN_AFTER_MS = 5_000;

/**
 * The response to one POST of Streamable HTTP (MCP 2025-11-25, Transports): one JSON body if the response is the
 * first message; a stream if other messages come before it or it takes long.
 */
export class Reply {
  readonly #response: HttpResponse;
  readonly #headers: OutgoingHttpHeaders = {};
  #expected: number;
  #stream: EventStream | undefined;
  #timer: NodeJS.Timeout | undefined;
  readonly #begin: (() => StreamLog) | undefined;
  #kept: StreamLog | undefined;

  /**
   * @param expected how many requests the POST has
   * @param begin called when a resumable stream is opened
   */
  constructor(response: HttpResponse, expected: number, begin?: () => StreamLog) {
    this.#response = response;
    this.#begin = begin;
    this.#expected = expected;
    if (expected === 0 || response.closed) return;
    this.#timer = setTimeout(() => this.#open(), OPEN_AFTER_MS);
    response.once("close", () => clearTimeout(this.#timer));
  }

  /** Whether the client receives what is written, now or when it reconnects. */
  get open(): boolean {
    if (this.#kept !== undefined) return this.#expected > 0;
    return !this.#response.destroyed && !this.#response.writableEnded;
  }

  /** Continues on a stream that the client has resumed. */
  resume(stream: EventStream): void {
    this.#stream?.leave();
    this.#stream = stream;
  }

  /** Sets or removes a header of the response, as long as nothing was written. */
  header(name: string, value: string | undefined): void {
    if (value === undefined) delete this.#headers[name];
    else this.#headers[name] = value;
  }

  /** Increases the number of expected responses. */
  expect(more: number): void {
    this.#expected += more;
  }

  /** Sends a message before the response. */
  async message(frame: Uint8Array): Promise<void> {
    if (this.open) await this.#open().send(frame);
  }

  /**
   * Sends a response, or a batch of `count` responses. The last one ends the reply. The status applies if the
   * response is the whole body.
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
   * Removes `count` requests that get no response. The last one ends the reply: as a stream, because a JSON body
   * needs a response.
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
    endResponse(this.#response, body);
  }

  /** Ends without a body: nothing in the POST needs a response. */
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
