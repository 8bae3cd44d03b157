import { randomBytes } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import { readFrame, requestFrame } from "@touchstone/protocol";
import { Agent, request } from "undici";
import type { HttpUpstream } from "../../config/config.ts";
import { ASK_TIMEOUT_MS, type Ask } from "../../contracts/ask.ts";
import type { Conversation } from "../../pipeline.ts";
import { SseSplitter } from "../sse.ts";
import type { UpstreamStatus } from "../upstream-status.ts";
import { readBody } from "./body.ts";
import { CONTENT_CODINGS, decoded, foreignCharset } from "./content-coding.ts";
import { mediaType, requestHeaders } from "./forwarding.ts";
import { MAX_REDIRECTS, redirectOf, shownUrl } from "./redirects.ts";

/** An answer of an upstream's, its body free of any content coding. */
export interface UpstreamResponse {
  readonly statusCode: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readable;
}

export type UpstreamHeaders = Record<string, string | string[]>;

export interface UpstreamRequest {
  readonly method: "GET" | "POST" | "DELETE";
  readonly headers: UpstreamHeaders;
  readonly body?: Uint8Array;
  readonly signal: AbortSignal;
}

/** In whose name the gateway sends messages of its own. */
export interface Caller {
  /** The session's id; none before the upstream gave one. */
  readonly id: string | undefined;
  /** The client's `Authorization`, where the upstream gets it. */
  readonly authorization: string | undefined;
}

/** The upstream could not be reached, or did not answer as HTTP asks. */
export class UpstreamError extends Error {
  override readonly name: string = "UpstreamError";
}

/** Drops what was not read of an answer, and its connection with it. */
export function discard({ body }: UpstreamResponse): void {
  // A body that is cut off reports it as an error, which nobody would listen for.
  body.on("error", () => {}).destroy();
}

function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // A name with several addresses fails with one error for each.
  if (error instanceof AggregateError) return error.errors.map(causeOf).join("; ");
  return error.message;
}

/** Compression was not asked for; where it comes all the same, it must hide nothing from a check. */
function readable(response: UpstreamResponse): UpstreamResponse {
  const { statusCode, headers } = response;
  const { "content-encoding": encoding, ...rest } = headers;
  const coding = encoding === undefined ? undefined : String(encoding);
  const charset = foreignCharset(headers["content-type"]);
  const body = decoded(response.body, coding);
  if (body !== undefined && charset === undefined) {
    return body === response.body ? response : { statusCode, headers: rest, body };
  }
  discard(response);
  throw new UpstreamError(
    body === undefined
      ? `the server's answer has the content encoding "${coding}", which cannot be decoded; known are ${CONTENT_CODINGS.join(", ")}`
      : `the server's answer is in the charset "${charset}"; JSON is UTF-8`,
  );
}

/** Sends HTTP requests to one upstream. Answers are awaited without limit: tool calls may be long. */
export class UpstreamClient {
  readonly #upstream: HttpUpstream;
  readonly #maxBytes: number;
  readonly #status: UpstreamStatus | undefined;
  /** The ids of the gateway's own requests; those of its clients do not look like them. */
  readonly #mark: string = `touchstone-${randomBytes(12).toString("hex")}`;
  #asked = 0;
  readonly #agent: Agent = new Agent({ headersTimeout: 0, bodyTimeout: 0 });

  /**
   * @param maxBytes largest body or event that is read whole
   * @param status told whether the server answers
   */
  constructor(upstream: HttpUpstream, maxBytes: number, status?: UpstreamStatus) {
    this.#upstream = upstream;
    this.#maxBytes = maxBytes;
    this.#status = status;
  }

  /** The headers to send in the place of a client's. */
  headers(client: IncomingHttpHeaders): UpstreamHeaders {
    const { headers, forwardAuthorization } = this.#upstream;
    return requestHeaders(client, headers, forwardAuthorization);
  }

  /** What of a client's `Authorization` the server gets to see; undefined for nothing. */
  forwarded(authorization: string | undefined): string | undefined {
    return this.#upstream.forwardAuthorization ? authorization : undefined;
  }

  /**
   * Sends a request, and sends it on where the server redirects it within its own origin.
   * @throws UpstreamError
   */
  async send(options: UpstreamRequest): Promise<UpstreamResponse> {
    let { url } = this.#upstream;
    for (let followed = 0; followed <= MAX_REDIRECTS; followed += 1) {
      const response = await this.#sendTo(url, options);
      const redirect = redirectOf(url, response.statusCode, response.headers);
      if (redirect === undefined) {
        this.#status?.answered(response.statusCode);
        return readable(response);
      }
      discard(response);
      if (!redirect.follow) throw this.#failed(redirect.reason);
      url = redirect.url;
    }
    throw this.#failed(`the server at ${shownUrl(url)} redirects again and again`);
  }

  async #sendTo(url: string, options: UpstreamRequest): Promise<UpstreamResponse> {
    try {
      return await request(url, { ...options, dispatcher: this.#agent });
    } catch (error) {
      if (options.signal.aborted) throw new UpstreamError("the client closed the connection");
      throw this.#failed(`cannot reach the server at ${shownUrl(url)}: ${causeOf(error)}`);
    }
  }

  #failed(reason: string): UpstreamError {
    this.#status?.unreachable(reason);
    return new UpstreamError(reason);
  }

  /** Sends the gateway's own requests in the name of a conversation. */
  ask(conversation: Conversation, caller: () => Caller): Ask {
    return async (method, params) => {
      const headers = {
        ...this.#ownHeaders(conversation, caller()),
        "mcp-method": method,
      };
      this.#asked += 1;
      const body = requestFrame(`"${this.#mark}-${this.#asked}"`, method, params);
      const signal = AbortSignal.timeout(ASK_TIMEOUT_MS);
      return this.answerOf(await this.send({ method: "POST", headers, body, signal }));
    };
  }

  /** Reads what came in answer to a request of the gateway's own: a body, or an event. */
  async answerOf(response: UpstreamResponse): Promise<Uint8Array> {
    try {
      const type = mediaType(response.headers["content-type"]);
      if (type === "text/event-stream") return await this.#firstAnswer(response);
      return await readBody(response.body, this.#maxBytes);
    } finally {
      discard(response);
    }
  }

  /** Sends a message that has no answer: one that the gateway gives to the server. */
  async tell(conversation: Conversation, caller: Caller, frame: Uint8Array): Promise<void> {
    const headers = this.#ownHeaders(conversation, caller);
    const signal = AbortSignal.timeout(ASK_TIMEOUT_MS);
    const { body } = await this.send({ method: "POST", headers, body: frame, signal });
    // Read over, so that its connection can be used again; the signal ends one that does not end.
    body.on("error", () => {}).resume();
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  #ownHeaders(conversation: Conversation, { id, authorization }: Caller): UpstreamHeaders {
    const { revision } = conversation;
    const own = {
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
      ...(id === undefined ? {} : { "mcp-session-id": id }),
      ...(authorization === undefined ? {} : { authorization }),
      ...(revision === undefined ? {} : { "mcp-protocol-version": revision }),
    };
    return this.headers(own);
  }

  async #firstAnswer(response: UpstreamResponse): Promise<Uint8Array> {
    const splitter = new SseSplitter(this.#maxBytes);
    for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
      for (const { data } of splitter.push(chunk)) {
        if (data === undefined) continue;
        const { kind } = readFrame(data);
        if (kind === "response" || kind === "error") return data;
      }
    }
    throw new UpstreamError("the server's stream ended without an answer");
  }
}
