import { randomBytes } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { readFrame, requestFrame } from "@touchstone/protocol";
import type { Dispatcher } from "undici";
import Agent from "undici/lib/dispatcher/agent.js";
import type { HttpUpstream } from "../../config/config.ts";
import { shownUrl } from "../../config/shown-url.ts";
import { ASK_TIMEOUT_MS, type Ask } from "../../contracts/ask.ts";
import type { Conversation } from "../../pipeline.ts";
import type { UpstreamStatus } from "../../upstream-status.ts";
import { SseSplitter } from "../sse.ts";
import { withoutMark } from "./byte-order-mark.ts";
import { describeAnswer, isHttpError, plainAnswer } from "./client-answers.ts";
import { CONTENT_CODINGS, decoded, foreignCharset } from "./content-coding.ts";
import { UnreadableError, UpstreamError } from "./failure.ts";
import { mediaType, requestHeaders } from "./forwarding.ts";
import { type Way, wayTo } from "./proxy.ts";
import { MAX_REDIRECTS, redirectOf } from "./redirects.ts";
import { StreamBody } from "./upstream-body.ts";
import { UpstreamCall, type UpstreamResponse } from "./upstream-call.ts";

export type UpstreamHeaders = Record<string, string | string[]>;

export interface UpstreamRequest {
  readonly method: "GET" | "POST" | "DELETE";
  readonly headers: UpstreamHeaders;
  readonly body?: Uint8Array | undefined;
}

/**
 * A piece of up to 64 KB is read at a time. One that fills its socket's buffer, which is as large by
 * default, would stop the reading and start it again, in two system calls more.
 */
const SOCKETS: object = { highWaterMark: 131_072 };

/** A URL, and what of it a request needs. */
interface Target {
  readonly url: string;
  readonly origin: string;
  readonly path: string;
}

/** In whose name the gateway sends messages of its own. */
export interface Caller {
  /** The session's id; none before the upstream gave one. */
  readonly id: string | undefined;
  /** The client's `Authorization`, where the upstream gets it. */
  readonly authorization: string | undefined;
}

function targetAt(url: string): Target {
  const { origin, pathname, search } = new URL(url);
  return { url, origin, path: pathname + search };
}

function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // A name with several addresses fails with one error for each.
  if (error instanceof AggregateError) return error.errors.map(causeOf).join("; ");
  return error.message;
}

/** What clients read messages from. */
const MESSAGES: ReadonlySet<string> = new Set(["application/json", "text/event-stream"]);

/** Compression was not asked for; where it comes all the same, it must hide nothing from a check. */
function readable(response: UpstreamResponse): UpstreamResponse {
  const { statusCode, headers } = response;
  const { "content-encoding": coding } = headers;
  const type = headers["content-type"];
  const charset = foreignCharset(type);
  // What is no message passes as it came: an error's page, or the empty body of an acknowledgement.
  if (charset !== undefined && MESSAGES.has(mediaType(type))) {
    response.body.discard();
    throw new UnreadableError(`the server's answer is in the charset "${charset}"; JSON is UTF-8`);
  }
  if (coding === undefined) return response;
  const coded = response.body.stream();
  const body = decoded(coded, String(coding));
  if (body === undefined) {
    coded.destroy();
    throw new UnreadableError(
      `the server's answer has the content encoding "${coding}", which cannot be decoded; known are ${CONTENT_CODINGS.join(", ")}`,
    );
  }
  const { "content-encoding": _taken, ...rest } = headers;
  const kept = body === coded ? headers : rest;
  return { statusCode, headers: kept, body: new StreamBody(body) };
}

function connectionsBy(way: Way): Dispatcher | Promise<Dispatcher> {
  if (way.proxy === undefined) {
    return new Agent({ headersTimeout: 0, bodyTimeout: 0, connect: SOCKETS });
  }
  return import("./proxied.ts").then(({ proxied }) => proxied(way));
}

/** Sends HTTP requests to one upstream. Answers are awaited without limit: tool calls may be long. */
export class UpstreamClient {
  readonly #upstream: HttpUpstream;
  readonly #target: Target;
  readonly #maxBytes: number;
  readonly #status: UpstreamStatus | undefined;
  /** The ids of the gateway's own requests; those of its clients do not look like them. */
  readonly #mark: string = `touchstone-${randomBytes(12).toString("hex")}`;
  #asked = 0;
  readonly #way: Way;
  /** Connections by {@link #way}; a redirect leads to no other origin. */
  readonly #connections: Dispatcher | Promise<Dispatcher>;

  /**
   * @param maxBytes largest body or event that is read whole
   * @param options.status told whether the server answers
   * @param options.env whose variables may name a proxy
   */
  constructor(
    upstream: HttpUpstream,
    maxBytes: number,
    {
      status,
      env = {},
    }: {
      readonly status?: UpstreamStatus;
      readonly env?: Readonly<Record<string, string | undefined>> | undefined;
    } = {},
  ) {
    this.#way = wayTo(upstream.url, env);
    this.#connections = connectionsBy(this.#way);
    this.#upstream = upstream;
    this.#target = targetAt(upstream.url);
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
   * Sends a request, and sends it on where the server redirects it within its own origin. Its
   * answer's body is free of any content coding.
   * @param call through which it can be given up
   * @throws UpstreamError
   */
  async send(request: UpstreamRequest, call: UpstreamCall): Promise<UpstreamResponse> {
    let target = this.#target;
    let current = call;
    const { fault } = this.#way;
    if (fault !== undefined) throw this.#unreached(target.url, fault);
    for (let followed = 0; followed <= MAX_REDIRECTS; followed += 1) {
      let response: UpstreamResponse;
      try {
        response = await this.#sendTo(target, request, current);
      } catch (error) {
        if (current.aborted) throw new UpstreamError("the client closed the connection");
        throw this.#unreached(target.url, causeOf(error));
      }
      const redirect = redirectOf(target.url, response.statusCode, response.headers);
      if (redirect === undefined) {
        this.#status?.answered(response.statusCode);
        return readable(response);
      }
      // Before this one ends, so that the next can be given up in its place.
      if (redirect.follow) current = current.next();
      response.body.discard();
      if (!redirect.follow) throw this.#failed(redirect.reason);
      target = targetAt(redirect.url);
    }
    throw this.#failed(`the server at ${shownUrl(target.url)} redirects again and again`);
  }

  #sendTo(
    { origin, path }: Target,
    { method, headers, body }: UpstreamRequest,
    call: UpstreamCall,
  ): Promise<UpstreamResponse> {
    const dispatch = (connections: Dispatcher): Promise<UpstreamResponse> => {
      connections.dispatch({ origin, path, method, headers, body: body ?? null }, call);
      return call.answer;
    };
    const connections = this.#connections;
    return connections instanceof Promise ? connections.then(dispatch) : dispatch(connections);
  }

  #unreached(url: string, reason: string): UpstreamError {
    const { proxy } = this.#way;
    const through = proxy === undefined ? "" : ` through the proxy ${proxy.origin}`;
    return this.#failed(`cannot reach the server at ${shownUrl(url)}${through}: ${reason}`);
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
      const call = UpstreamCall.until(AbortSignal.timeout(ASK_TIMEOUT_MS));
      return this.answerOf(await this.send({ method: "POST", headers, body }, call));
    };
  }

  /**
   * Reads what came in answer to a request of the gateway's own: a body, or an event.
   * @throws UpstreamError where it is an error of HTTP's, and none of JSON-RPC
   */
  async answerOf(response: UpstreamResponse): Promise<Uint8Array> {
    try {
      const type = mediaType(response.headers["content-type"]);
      if (type === "text/event-stream") return await this.#firstAnswer(response);
      const body = withoutMark(await response.body.whole(this.#maxBytes));
      const answer = plainAnswer(response.statusCode, type, body);
      if (isHttpError(answer)) throw new UpstreamError(describeAnswer(answer));
      return body;
    } finally {
      response.body.discard();
    }
  }

  /** Sends a message that has no answer: one that the gateway gives to the server. */
  async tell(conversation: Conversation, caller: Caller, frame: Uint8Array): Promise<void> {
    const headers = this.#ownHeaders(conversation, caller);
    const call = UpstreamCall.until(AbortSignal.timeout(ASK_TIMEOUT_MS));
    const { body } = await this.send({ method: "POST", headers, body: frame }, call);
    // Read over, so that its connection can be used again; the signal ends one that does not end.
    body.stream().resume();
  }

  async close(): Promise<void> {
    await (await this.#connections).destroy();
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
    for await (const chunk of response.body.pieces()) {
      for (const { data } of splitter.push(chunk)) {
        if (data === undefined) continue;
        const { kind } = readFrame(data);
        if (kind === "response" || kind === "error") return data;
      }
    }
    throw new UpstreamError("the server's stream ended without an answer");
  }
}
