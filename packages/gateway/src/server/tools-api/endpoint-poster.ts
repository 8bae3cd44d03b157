import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http";
import { addAbortSignal, Writable } from "node:stream";
import { stackOf } from "@touchstone/core/advanced";
import { type Frame, readFrame } from "@touchstone/protocol/advanced";
import { BytePieces, type Logger } from "@touchstone/util";
import { isSessionGone } from "../../relay/http/client-session.ts";
import type { Endpoint, OwnClientOptions, PostRequest } from "../../relay/http/endpoint.ts";
import { type Identity, setIdentity } from "../../relay/http/identity.ts";
import { mediaType } from "../../transport/http/headers.ts";
import type { HttpResponse } from "../../transport/http/http-message.ts";
import { endsRequest } from "../../transport/http/messages.ts";
import { sendError } from "../../transport/http/responses.ts";
import { SseSplitter } from "../../transport/http/sse.ts";
import { ByteEndsBuffer, END_BYTES } from "../../transport/stdio/lines.ts";

/** One JSON-RPC message for an endpoint of the gateway, or the end of a session. */
export interface EndpointPost {
  /** Default POST. */
  readonly method?: "POST" | "DELETE";
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Largest response, in bytes. */
  readonly maxBytes: number;
  /** Facts about a call for the gateway that are not part of the message. */
  readonly own?: OwnClientOptions | undefined;
  /** Receives the messages that the server sends before the response: its notifications and requests. */
  readonly onMessage: (frame: Frame) => void;
}

/** The response. `answer` is absent if there is only a status. */
export interface EndpointResponse {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  readonly answer?: Frame;
  /** Whether the server's error text says that it does not know the session. */
  readonly sessionOver?: boolean;
}

/** Sends a message to the endpoint of one server. Rejects if the response cannot be read. */
export type PostToEndpoint = (posting: EndpointPost) => Promise<EndpointResponse>;

export interface EndpointPosterParts {
  /** The current endpoints, by server. */
  readonly endpoints: ReadonlyMap<string, Endpoint>;
  /** Returns the largest message of a client, in bytes. */
  readonly maxRequestBytes: () => number;
  readonly log: Logger;
}

/**
 * Posts messages of the gateway's own client to its endpoints, without a connection. Whatever is sent is checked and
 * recorded like any client's message.
 */
export class EndpointPoster {
  readonly #parts: EndpointPosterParts;
  readonly #underWay: Set<Promise<void>> = new Set();

  constructor(parts: EndpointPosterParts) {
    this.#parts = parts;
  }

  /** Returns a function that posts to a server as a client with this identity. */
  to(server: string, identity: Identity): PostToEndpoint {
    return async (posting) => {
      const endpoint = this.#parts.endpoints.get(server);
      if (endpoint === undefined) throw new Error("the server was removed");
      posting.signal.throwIfAborted();
      const request = requestOf(posting);
      setIdentity(request, identity);
      const response = new OwnResponse(posting);
      const handled = this.#handle(endpoint, request, response, posting);
      this.#underWay.add(handled);
      void handled.then(() => this.#underWay.delete(handled));
      try {
        return await response.posted;
      } finally {
        response.destroy();
      }
    };
  }

  /**
   * Resolves when the endpoints have finished all work for the messages so far, even if nobody waits for a response.
   */
  async settled(): Promise<void> {
    await Promise.all(this.#underWay);
  }

  /** Never rejects. */
  async #handle(
    endpoint: Endpoint,
    request: PostRequest,
    response: HttpResponse,
    { method = "POST", body: text }: EndpointPost,
  ): Promise<void> {
    const { maxRequestBytes, log } = this.#parts;
    try {
      if (method === "DELETE") {
        await endpoint.delete(request, response);
        return;
      }
      const body = Buffer.from(text);
      const limit = maxRequestBytes();
      if (body.length <= limit) {
        await endpoint.post(request, response, body);
        return;
      }
      const ends = new ByteEndsBuffer(END_BYTES, true);
      ends.push(body);
      await endpoint.refuse(request, response, ends.take(), limit);
    } catch (error) {
      log.error("a message of the gateway's own client failed", { reason: stackOf(error) });
      sendError(response, 500, "touchstone: internal error; see the gateway's log");
      response.destroy();
    }
  }
}

function requestOf({ headers: given, own }: EndpointPost): PostRequest {
  const headers: IncomingHttpHeaders = {
    accept: "application/json, text/event-stream",
    "content-type": "application/json",
  };
  for (const [name, value] of Object.entries(given)) headers[name.toLowerCase()] = value;
  return { headers, socket: {}, own };
}

/** An endpoint's response to a message of the gateway's own client. It is read while it is written. */
class OwnResponse extends Writable implements HttpResponse {
  /** Resolves with the first response to the message; rejects if there is none, or if it cannot be read. */
  readonly posted: Promise<EndpointResponse>;
  readonly socket = null;
  statusCode = 200;
  headersSent = false;
  readonly #posting: EndpointPost;
  readonly #whole: BytePieces = new BytePieces();
  #headers: OutgoingHttpHeaders = {};
  #isAnswered = false;
  /** Undefined unless the response is a stream of events. */
  #events: SseSplitter | undefined;
  #resolve: (posted: EndpointResponse) => void = () => {};

  constructor(posting: EndpointPost) {
    // Writers never have to wait, because data is not buffered.
    super({ highWaterMark: Number.MAX_SAFE_INTEGER });
    this.#posting = posting;
    this.posted = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.on("error", reject);
      this.on("close", () => reject(new Error("the response has no end")));
    });
    addAbortSignal(posting.signal, this);
  }

  writeHead(status: number, headers: OutgoingHttpHeaders = {}): this {
    this.statusCode = status;
    this.headersSent = true;
    for (const [name, value] of Object.entries(headers)) this.#headers[name.toLowerCase()] = value;
    const { "content-type": type } = this.#headers;
    if (typeof type !== "number" && mediaType(type) === "text/event-stream") {
      this.#events = new SseSplitter(this.#posting.maxBytes);
    }
    return this;
  }

  flushHeaders(): void {}

  getHeader(): undefined {
    return undefined;
  }

  /** Does nothing, because there is no connection that could be idle. */
  setTimeout(): this {
    return this;
  }

  override _write(bytes: Uint8Array, _: unknown, done: (error?: Error) => void): void {
    try {
      if (this.#events === undefined) this.#take(bytes);
      else this.#takeEvents(bytes, this.#events);
    } catch (error) {
      done(error as Error);
      return;
    }
    done();
  }

  override _final(done: () => void): void {
    if (this.#events === undefined) this.#readWhole();
    else this.#answer({});
    done();
  }

  #take(bytes: Uint8Array): void {
    const { maxBytes } = this.#posting;
    this.#whole.push(bytes);
    if (this.#whole.size > maxBytes) {
      throw new Error(`the response is larger than ${maxBytes} bytes`);
    }
  }

  #takeEvents(bytes: Uint8Array, events: SseSplitter): void {
    for (const { data } of events.push(bytes)) {
      if (this.#isAnswered) return;
      if (data === undefined || data.length === 0) continue;
      // The gateway has already read the frame completely.
      const frame = readFrame(data, { outline: true });
      if (endsRequest(frame)) this.#answer({ answer: frame });
      else this.#posting.onMessage(frame);
    }
  }

  #readWhole(): void {
    const body = this.#whole.take();
    const frame = readFrame(body, { outline: true });
    const sessionOver = isSessionGone(this.statusCode, body);
    this.#answer(endsRequest(frame) ? { answer: frame, sessionOver } : { sessionOver });
  }

  #answer(given: Pick<EndpointResponse, "answer" | "sessionOver">): void {
    this.#isAnswered = true;
    this.#resolve({ status: this.statusCode, headers: this.#headers, ...given });
  }
}
