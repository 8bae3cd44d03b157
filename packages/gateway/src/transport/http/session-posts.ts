import { randomBytes } from "node:crypto";
import { type Frame, notificationFrame, readFrame } from "@touchstone/protocol";
import { ASK_TIMEOUT_MS } from "../../contracts/ask.ts";
import { withId } from "../own-ids.ts";
import type { ClientSession } from "./client-session.ts";
import { UpstreamError } from "./failure.ts";
import { MAX_OVER_BYTES, saysSessionIsOver } from "./session-over.ts";
import type { UpstreamClient } from "./upstream.ts";
import { UpstreamCall, type UpstreamResponse } from "./upstream-call.ts";

export interface SessionPostsParts {
  readonly client: UpstreamClient;
  readonly session: ClientSession;
  /** A session that has not begun. */
  readonly fresh: () => ClientSession;
  /** Told that a new session has begun in the place of one that the server had ended. */
  readonly begun: () => void;
}

/**
 * POSTs messages in a session, and begins it anew where the server has ended it, as a client must
 * that is told so with 404 (MCP 2025-11-25, Transports, Session Management), or in words with 400. A
 * client on stdio knows of no session and cannot.
 */
export class SessionPosts {
  readonly #parts: SessionPostsParts;
  #initialize: Frame | undefined;
  #renewing: Promise<void> | undefined;
  /** A session that was begun because of words, and in which the server has answered nothing yet. */
  #doubtful: string | undefined;

  constructor(parts: SessionPostsParts) {
    this.#parts = parts;
  }

  /**
   * Sends a message; one that finds the session over is sent again in a new one, once.
   * @param asks whether the message holds requests: nothing else is worth a new session
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

  /** Begins a new session, once for all who have found the same one over. */
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
      const reason = error instanceof Error ? error.message : String(error);
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
    // An id that no client has, since the answer is for nobody but us.
    const own = `"touchstone-${randomBytes(12).toString("hex")}"`;
    const response = await this.#send(begun, readFrame(withId(initialize, own)), signal);
    const { statusCode } = response;
    const { initializeVersion } = readFrame(await client.own.answerOf(response));
    if (initializeVersion === undefined) {
      throw new UpstreamError(
        `the server gave no answer to initialize (HTTP status ${statusCode})`,
      );
    }
    if (initializeVersion !== revision) {
      throw new UpstreamError(
        `the server speaks revision ${initializeVersion} now, and its client was told ${revision}`,
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
  return text !== undefined && saysSessionIsOver(statusCode, text);
}
