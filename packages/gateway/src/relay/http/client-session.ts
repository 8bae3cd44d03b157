import { randomBytes } from "node:crypto";
import { messageOf } from "@touchstone/core/advanced";
import { type Frame, notificationFrame, readFrame } from "@touchstone/protocol/advanced";
import type { ToolContract } from "../../contracts/contract.ts";
import { ASK_TIMEOUT_MS } from "../../contracts/own-request.ts";
import { eraOf } from "../../eras/eras.ts";
import { requestHeaders } from "../../transport/http/headers.ts";
import {
  UpstreamCall,
  UpstreamError,
  type UpstreamHeaders,
  type UpstreamResponse,
} from "../../transport/http/upstream-call.ts";
import { withId } from "../own-requests.ts";
import { paramHeadersOf } from "./param-headers.ts";
import type { UpstreamClient } from "./upstream.ts";

const SESSION_HEADER = "mcp-session-id";

/** What a client of Streamable HTTP knows of its session, and the headers that follow from it. */
export class ClientSession {
  /** The id from the server; none from 2026-07-28 on. */
  id: string | undefined;
  /** The agreed revision, or the one that the last message named. */
  revision: string | undefined;
  readonly #configured: Readonly<Record<string, string>>;
  readonly #contractOf: (call: Frame) => ToolContract | undefined;

  /** @param configured headers for every request */
  constructor(
    configured: Readonly<Record<string, string>>,
    contractOf: (call: Frame) => ToolContract | undefined,
  ) {
    this.#configured = configured;
    this.#contractOf = contractOf;
  }

  /** Notes the response to `initialize`. */
  begin({ headers }: UpstreamResponse): void {
    const id = headers[SESSION_HEADER];
    if (typeof id === "string") this.id = id;
  }

  /** Returns why a tool cannot be called over HTTP: its headers cannot be written (MCP 2026-07-28, Tools). */
  refusal(call: Frame): string | undefined {
    if (call.toolName === undefined || !eraOf(call.protocolVersion).repeatsArguments)
      return undefined;
    const contract = this.#contractOf(call);
    const declared = contract && paramHeadersOf(contract);
    return declared?.valid === false ? declared.reason : undefined;
  }

  /** The headers of a POST. */
  postHeaders(frame: Frame): UpstreamHeaders {
    this.revision = eraOf(frame.protocolVersion).revisionAfter(frame, this.revision);
    const era = eraOf(frame.protocolVersion ?? this.revision);
    const contract = era.repeatsArguments ? this.#contractOf(frame) : undefined;
    const declared = contract && paramHeadersOf(contract);
    return this.headers({
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
      ...era.messageHeaders(frame, declared?.valid ? declared.headers : []),
    });
  }

  /** The headers of a GET that opens or resumes a stream. */
  getHeaders(lastEventId: string | undefined): UpstreamHeaders {
    return this.headers({
      accept: "text/event-stream",
      ...(lastEventId === undefined ? {} : { "last-event-id": inUtf8(lastEventId) }),
    });
  }

  /** The headers of any request. */
  headers(own: Record<string, string> = {}): UpstreamHeaders {
    const headers = {
      ...own,
      ...(this.revision === undefined ? {} : { "mcp-protocol-version": this.revision }),
      ...(this.id === undefined ? {} : { [SESSION_HEADER]: this.id }),
    };
    return requestHeaders(headers, this.#configured);
  }
}

/**
 * Returns a text with one character for each byte of a header's UTF-8, as headers are sent (HTML Standard, 9.2.6).
 */
function inUtf8(text: string): string {
  return Buffer.from(text).toString("latin1");
}

interface SessionPostsParts {
  readonly client: UpstreamClient;
  readonly session: ClientSession;
  /** A session that has not begun. */
  readonly fresh: () => ClientSession;
  /** Called when a new session has replaced one that the server ended. */
  readonly begun: () => void;
}

/**
 * POSTs messages in a session, and begins a new one if the server has ended it, as a client must after a 404 (MCP
 * 2025-11-25, Transports, Session Management) or a 400 that says so. A client on stdio knows no sessions and cannot
 * do this itself.
 */
export class SessionPosts {
  readonly #parts: SessionPostsParts;
  #initialize: Frame | undefined;
  #renewing: Promise<void> | undefined;
  /** A session that was begun because of such words, and in which the server has not responded yet. */
  #doubtful: string | undefined;

  constructor(parts: SessionPostsParts) {
    this.#parts = parts;
  }

  /**
   * Sends a message. If the session is over, sends it once more in a new one.
   * @param asks whether the message has requests: nothing else is worth a new session
   * @throws UpstreamError
   */
  async post(frame: Frame, asks: boolean, signal: AbortSignal): Promise<UpstreamResponse> {
    const { session } = this.#parts;
    const { id } = session;
    const response = await this.#send(session, frame, signal);
    if (frame.method === "initialize") {
      session.begin(response);
      this.#initialize = frame;
      return response;
    }
    if (id === undefined || !asks) return response;
    const inWords = id !== this.#doubtful && (await saidInWords(response));
    if (response.statusCode !== 404 && !inWords) return this.#answered(id, response);
    response.body.discard();
    await this.#renew(id);
    if (inWords) this.#doubtful = session.id;
    return this.#answered(session.id, await this.#send(session, frame, signal));
  }

  #answered(session: string | undefined, response: UpstreamResponse): UpstreamResponse {
    if (response.statusCode < 400 && session === this.#doubtful) this.#doubtful = undefined;
    return response;
  }

  #send(session: ClientSession, frame: Frame, signal: AbortSignal): Promise<UpstreamResponse> {
    const headers = session.postHeaders(frame);
    const sent = { method: "POST", headers, body: frame.bytes } as const;
    return this.#parts.client.send(sent, UpstreamCall.until(signal));
  }

  /** Begins a new session, once for all messages that found the same one over. */
  async #renew(ended: string): Promise<void> {
    const initialize = this.#initialize;
    const over = this.#parts.session.id === ended;
    if (this.#renewing === undefined && over && initialize !== undefined) {
      this.#renewing = this.#begin(initialize).finally(() => {
        this.#renewing = undefined;
      });
    }
    await this.#renewing;
  }

  async #begin(initialize: Frame): Promise<void> {
    try {
      await this.#ask(initialize);
    } catch (error) {
      const reason = messageOf(error);
      throw new UpstreamError(
        `the session at the server has ended, and no new one could be begun: ${reason}`,
      );
    }
    this.#parts.begun();
  }

  async #ask(initialize: Frame): Promise<void> {
    const { client, session, fresh } = this.#parts;
    const { revision } = session;
    const signal = AbortSignal.timeout(ASK_TIMEOUT_MS);
    const begun = fresh();
    // An id that no client uses: the response is only for the gateway.
    const own = `"touchstone-${randomBytes(12).toString("hex")}"`;
    const response = await this.#send(begun, readFrame(withId(initialize, own)), signal);
    const { statusCode } = response;
    const { initializeVersion } = readFrame(await client.own.answerOf(response));
    if (initializeVersion === undefined) {
      throw new UpstreamError(
        `the server did not respond to initialize (HTTP status ${statusCode})`,
      );
    }
    if (initializeVersion !== revision) {
      throw new UpstreamError(
        `the server speaks revision ${initializeVersion} now, but its client negotiated ${revision}`,
      );
    }
    begun.begin(response);
    begun.revision = revision;
    const told = readFrame(notificationFrame("notifications/initialized", "{}"));
    (await this.#send(begun, told, signal)).body.discard();
    session.id = begun.id;
  }
}

async function saidInWords({ statusCode, body }: UpstreamResponse): Promise<boolean> {
  if (statusCode !== 400) return false;
  const text = await body.peek(MAX_OVER_BYTES);
  return text !== undefined && isSessionGone(statusCode, text);
}

/** Texts that say so are short; a longer body says something else. */
const MAX_OVER_BYTES = 8_192;

/** How servers that respond with 400 word it, in examples and SDKs of MCP and in other frameworks. */
const OVER =
  /\bsession\b.{0,40}\b(?:not found|unknown|expired|invalid|ended|terminated|closed|not exist)\b|\b(?:no valid|invalid|unknown|expired|no such)\b.{0,30}\bsession\b|\bserver not initialized\b/i;

/**
 * Returns whether a response with the status 400 says that the server does not know the session. The right status is
 * 404 (MCP 2025-11-25, Transports, Session Management), but many servers use 400, as official examples did. An error
 * on a request's own id is about that request.
 */
export function isSessionGone(status: number, body: Uint8Array): boolean {
  if (status !== 400 || body.length > MAX_OVER_BYTES) return false;
  const frame = readFrame(body);
  const ofRequest = frame.id !== undefined && frame.id !== "null";
  if (frame.kind === "response" || ofRequest) return false;
  return OVER.test(Buffer.from(body).toString("utf8"));
}
