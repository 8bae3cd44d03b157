import { randomBytes } from "node:crypto";
import { messageOf, withoutByteOrderMark } from "@touchstone/core";
import { readFrame, requestFrame } from "@touchstone/protocol";
import { ASK_TIMEOUT_MS, type Ask, Unauthorized } from "../../contracts/ask.ts";
import type { Conversation } from "../../pipeline/pipeline.ts";
import { describeAnswer, isHttpError, plainAnswer } from "./client-answers.ts";
import { mediaType } from "./headers.ts";
import { SseSplitter } from "./sse.ts";
import {
  type Sender,
  UpstreamCall,
  UpstreamError,
  type UpstreamHeaders,
  type UpstreamResponse,
} from "./upstream-call.ts";

const CHALLENGES = "www-authenticate";

/** Returns whether a response asks for other credentials (MCP, Authorization, Error Handling). */
function deniedBy({ statusCode, headers }: UpstreamResponse): boolean {
  return statusCode === 401 || (statusCode === 403 && headers[CHALLENGES] !== undefined);
}

/** In whose name the gateway sends messages of its own. */
export interface Caller {
  /** The session's id; none before the upstream gave one. */
  readonly id: string | undefined;
  /** The client's `Authorization`, where the upstream gets it. */
  readonly authorization: string | undefined;
}

/** The messages that the gateway has for an upstream by itself. */
export class OwnMessages {
  readonly #sender: Sender;
  readonly #maxBytes: number;
  /** The ids of the gateway's own requests; those of its clients do not look like them. */
  readonly #mark: string = `touchstone-${randomBytes(12).toString("hex")}`;
  #asked = 0;

  /** @param maxBytes largest body or event that is read whole */
  constructor(sender: Sender, maxBytes: number) {
    this.#sender = sender;
    this.#maxBytes = maxBytes;
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
      const response = await this.#sender.send({ method: "POST", headers, body }, call);
      return deniedBy(response) ? this.#denied(response) : this.answerOf(response);
    };
  }

  /** @throws Unauthorized */
  async #denied(response: UpstreamResponse): Promise<never> {
    const { statusCode: status, headers } = response;
    const reason = await this.answerOf(response).then(
      // An error of JSON-RPC, whose status says what matters.
      () => `the server answered with HTTP status ${status}`,
      messageOf,
    );
    throw new Unauthorized(reason, status, headers[CHALLENGES]);
  }

  /**
   * Reads what came in answer to a request of the gateway's own: a body, or an event.
   * @throws UpstreamError where it is an error of HTTP's, and none of JSON-RPC
   */
  async answerOf(response: UpstreamResponse): Promise<Uint8Array> {
    try {
      const type = mediaType(response.headers["content-type"]);
      if (type === "text/event-stream") return await this.#firstAnswer(response);
      const body = withoutByteOrderMark(await response.body.whole(this.#maxBytes));
      const answer = plainAnswer(response, body);
      if (isHttpError(answer)) throw new UpstreamError(describeAnswer(answer));
      return body;
    } finally {
      response.body.discard();
    }
  }

  /** Sends a message that has no response: one that the gateway gives to the server. */
  async tell(conversation: Conversation, caller: Caller, frame: Uint8Array): Promise<void> {
    const headers = this.#ownHeaders(conversation, caller);
    const call = UpstreamCall.until(AbortSignal.timeout(ASK_TIMEOUT_MS));
    const { body } = await this.#sender.send({ method: "POST", headers, body: frame }, call);
    // Read over, so that its connection can be used again; the signal ends one that does not end.
    body.stream().resume();
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
