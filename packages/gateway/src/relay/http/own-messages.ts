import { randomBytes } from "node:crypto";
import { withoutByteOrderMark } from "@touchstone/core/advanced";
import { ERROR_CODES, type Frame, readFrame, requestFrame } from "@touchstone/protocol/advanced";
import {
  ASK_TIMEOUT_MS,
  HttpListRefusedError,
  type SendOwnRequest,
} from "../../contracts/own-request.ts";
import type { Conversation } from "../../pipeline/pipeline.ts";
import { mediaType } from "../../transport/http/headers.ts";
import { SseSplitter } from "../../transport/http/sse.ts";
import {
  UpstreamCall,
  UpstreamError,
  type UpstreamHeaders,
  type UpstreamRequestOptions,
  type UpstreamResponse,
} from "../../transport/http/upstream-call.ts";
import { bufferedResponse, describeAnswer, isHttpError } from "./client-answers.ts";

const EMPTY = new Uint8Array(0);
const CHALLENGES = "www-authenticate";

/** Statuses with which servers refuse a session that they do not know; 404 is MCP's (Transports, Session Management). */
const SESSION_OVER: ReadonlySet<number> = new Set([400, 404, 410]);
/** Statuses of a server, or a proxy before it, that cannot take requests now (RFC 9110 and 6585). */
const UNAVAILABLE: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/**
 * Returns whether the status of a refusal is for the client: it requires other credentials (MCP, Authorization, Error
 * Handling), has ended the session, or says that the server cannot take requests now.
 */
function isForClient({ statusCode, headers }: UpstreamResponse, inSession: boolean): boolean {
  if (statusCode === 401 || UNAVAILABLE.has(statusCode)) return true;
  if (statusCode === 403) return headers[CHALLENGES] !== undefined;
  return inSession && SESSION_OVER.has(statusCode);
}

/** Returns whether an error is about the request, and not about its session: the server knows no such method. */
function isOfRequest(answer: Frame, status: number, id: string): boolean {
  if (answer.kind !== "error" || !SESSION_OVER.has(status)) return false;
  return answer.errorCode === ERROR_CODES.methodNotFound || (status === 400 && answer.id === id);
}

/** For whom the gateway sends its own messages. */
export interface OwnMessageCaller {
  /** The session's id; none before the upstream sent one. */
  readonly id: string | undefined;
  /** The client's `Authorization`, if the upstream gets it. */
  readonly authorization: string | undefined;
}

/** The gateway's own messages to an upstream. */
export class OwnClientMessages {
  readonly #sender: UpstreamRequestOptions;
  readonly #maxBytes: number;
  /** Marks the ids of the gateway's own requests; ids of clients look different. */
  readonly #mark: string = `touchstone-${randomBytes(12).toString("hex")}`;
  #asked = 0;

  /** @param maxBytes largest body or event to read as a whole */
  constructor(sender: UpstreamRequestOptions, maxBytes: number) {
    this.#sender = sender;
    this.#maxBytes = maxBytes;
  }

  /**
   * Sends the gateway's own requests for a conversation.
   * @param refused returns what to do about a server that refuses a request with this status and text for its
   *   credentials, if no client can give them
   */
  ask(
    conversation: Conversation,
    caller: () => OwnMessageCaller,
    refused: (status: number, said: string) => string | undefined = () => undefined,
  ): SendOwnRequest {
    return async (method, params) => {
      const asking = caller();
      const headers = { ...this.#ownHeaders(conversation, asking), "mcp-method": method };
      this.#asked += 1;
      const id = `"${this.#mark}-${this.#asked}"`;
      const body = requestFrame(id, method, params);
      const call = UpstreamCall.until(AbortSignal.timeout(ASK_TIMEOUT_MS));
      const response = await this.#sender.send({ method: "POST", headers, body }, call);
      return isForClient(response, asking.id !== undefined)
        ? this.#refusal(response, id, refused)
        : this.answerOf(response);
    };
  }

  /**
   * Returns the response if it is about the request with this id.
   * @throws HttpListRefusedError for any other
   */
  async #refusal(
    response: UpstreamResponse,
    id: string,
    refused: (status: number, said: string) => string | undefined,
  ): Promise<Uint8Array> {
    const { statusCode: status, headers } = response;
    const { [CHALLENGES]: challenges, "retry-after": retryAfter } = headers;
    // The status counts, also if the body cannot be read.
    const body = await this.#wholeOf(response).catch(() => EMPTY);
    response.body.discard();
    const answer = bufferedResponse(response, body);
    if (!isHttpError(answer) && isOfRequest(readFrame(body, { outline: true }), status, id)) {
      return body;
    }
    const reason = describeAnswer(answer);
    const isDenied = status === 401 || status === 403;
    throw new HttpListRefusedError(
      (isDenied ? refused(status, answer.said) : undefined) ?? reason,
      status,
      {
        [CHALLENGES]: challenges,
        "retry-after": retryAfter,
      },
    );
  }

  /**
   * Reads the response to one of the gateway's own requests: a body, or an event.
   * @throws UpstreamError if it is an HTTP error and not a JSON-RPC one
   */
  async answerOf(response: UpstreamResponse): Promise<Uint8Array> {
    try {
      const type = mediaType(response.headers["content-type"]);
      if (type === "text/event-stream") return await this.#firstAnswer(response);
      const body = await this.#wholeOf(response);
      const answer = bufferedResponse(response, body);
      if (isHttpError(answer)) throw new UpstreamError(describeAnswer(answer));
      return body;
    } finally {
      response.body.discard();
    }
  }

  async #wholeOf({ body }: UpstreamResponse): Promise<Uint8Array> {
    return withoutByteOrderMark(await body.whole(this.#maxBytes));
  }

  /** Sends a message without a response, from the gateway to the server. */
  async tell(
    conversation: Conversation,
    caller: OwnMessageCaller,
    frame: Uint8Array,
  ): Promise<void> {
    const headers = this.#ownHeaders(conversation, caller);
    const call = UpstreamCall.until(AbortSignal.timeout(ASK_TIMEOUT_MS));
    const { body } = await this.#sender.send({ method: "POST", headers, body: frame }, call);
    // Read to the end, so that the connection can be reused; the signal ends one that does not end.
    body.stream().resume();
  }

  #ownHeaders(
    conversation: Conversation,
    { id, authorization }: OwnMessageCaller,
  ): UpstreamHeaders {
    const { revision } = conversation;
    const own = {
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
      ...(id === undefined ? {} : { "mcp-session-id": id }),
      ...(authorization === undefined ? {} : { authorization }),
      ...(revision === undefined ? {} : { "mcp-protocol-version": revision }),
    };
    return this.#sender.headers(own);
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
    throw new UpstreamError("the server's stream ended without a response");
  }
}
