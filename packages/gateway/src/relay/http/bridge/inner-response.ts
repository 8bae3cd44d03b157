import type { OutgoingHttpHeaders } from "node:http";
import { Writable } from "node:stream";
import { type Frame, readFrame } from "@touchstone/protocol/advanced";
import { BytePieces } from "@touchstone/util";
import { mediaType } from "../../../transport/http/headers.ts";
import type { HttpResponse } from "../../../transport/http/http-message.ts";
import { endsRequest } from "../../../transport/http/messages.ts";
import { SseSplitter } from "../../../transport/http/sse.ts";

/** An HTTP response without a JSON-RPC response in it. */
export interface PlainResponse {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  readonly body: Uint8Array;
}

/** What a response holds, in the order in which it comes. */
export interface InnerMessages {
  /** A message before the response. */
  readonly message: (frame: Frame) => void;
  /** The response. */
  readonly answer: (frame: Frame, status: number, headers: OutgoingHttpHeaders) => void;
  /** There is none. Not called if the response was destroyed. */
  readonly none: (response: PlainResponse) => void;
}

/** An endpoint's response to a message that a bridge has written. It is read as it is written. */
export class InnerResponse extends Writable implements HttpResponse {
  readonly socket = null;
  statusCode = 200;
  headersSent = false;
  readonly #to: InnerMessages;
  readonly #maxBytes: number;
  readonly #whole: BytePieces = new BytePieces();
  #headers: OutgoingHttpHeaders = {};
  #events: SseSplitter | undefined;
  #isAnswered = false;

  /** @param maxBytes largest body or event */
  constructor(to: InnerMessages, maxBytes: number) {
    // Nothing waits in it.
    super({ highWaterMark: Number.MAX_SAFE_INTEGER });
    this.#to = to;
    this.#maxBytes = maxBytes;
    this.on("error", () => {});
  }

  writeHead(status: number, headers: OutgoingHttpHeaders = {}): this {
    this.statusCode = status;
    this.headersSent = true;
    for (const [name, value] of Object.entries(headers)) this.#headers[name.toLowerCase()] = value;
    const { "content-type": type } = this.#headers;
    if (typeof type === "string" && mediaType(type) === "text/event-stream") {
      this.#events = new SseSplitter(this.#maxBytes);
    }
    return this;
  }

  flushHeaders(): void {}

  getHeader(): undefined {
    return undefined;
  }

  /** There is no connection on which nothing could happen. */
  setTimeout(): this {
    return this;
  }

  override _write(bytes: Uint8Array, _: unknown, done: (error?: Error) => void): void {
    try {
      if (this.#events === undefined) this.#whole.push(bytes);
      else this.#takeEvents(bytes, this.#events);
    } catch (error) {
      done(error as Error);
      return;
    }
    done();
  }

  override _final(done: () => void): void {
    const body = this.#whole.take();
    const frame = this.#events === undefined ? readFrame(body, { outline: true }) : undefined;
    if (frame !== undefined && endsRequest(frame)) this.#answer(frame);
    if (!this.#isAnswered) {
      this.#to.none({ status: this.statusCode, headers: this.#headers, body });
    }
    done();
  }

  #takeEvents(bytes: Uint8Array, events: SseSplitter): void {
    for (const { data } of events.push(bytes)) {
      if (data === undefined || data.length === 0) continue;
      const frame = readFrame(data, { outline: true });
      if (endsRequest(frame)) this.#answer(frame);
      else this.#to.message(frame);
    }
  }

  #answer(frame: Frame): void {
    if (this.#isAnswered) return;
    this.#isAnswered = true;
    this.#to.answer(frame, this.statusCode, this.#headers);
  }
}
