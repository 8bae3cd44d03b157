import { randomUUID } from "node:crypto";
import type { Frame } from "@touchstone/protocol/advanced";
import { clientIdentity } from "../../pipeline/stages/session.ts";
import {
  type HttpRequest,
  type HttpResponse,
  headerOf,
  lastEventId,
} from "../../transport/http/http-message.ts";
import { sendError } from "../../transport/http/responses.ts";
import type { ChildOptions } from "../../transport/stdio/child.ts";
import { Backoff, IDLE_MS, SWEEP_MS } from "../../transport/stdio/child-limits.ts";
import type { ServerRuntime } from "../server-runtime.ts";
import type { SharedChild } from "../stdio/shared-child.ts";
import { type EraEndpoint, type PostRequest, SESSION_NOT_FOUND, senderOf } from "./endpoint.ts";
import { conversationOwner, identityOf, ownerName } from "./identity.ts";
import { LegacySession } from "./legacy-session.ts";

const SESSION = "mcp-session-id";

/** For clients of MCP 2024-11-05, which begin with a GET. */
const NO_SSE =
  ": POST initialize to this URL first (Streamable HTTP). The old HTTP+SSE transport is not supported";

/** When a client that was rejected may try again, in seconds (RFC 9110, section 10.2.3). */
const RETRY_AFTER = 30;

interface Refusal {
  readonly reason: string;
  /** When the client may try again; {@link RETRY_AFTER} if unknown. */
  readonly seconds?: number;
}

/** The sessions of one stdio server, for clients of revisions up to 2025-11-25. */
export class LegacySessions implements EraEndpoint {
  readonly #runtime: ServerRuntime;
  readonly #child: ChildOptions;
  readonly #max: number;
  readonly #sessions: Map<string, LegacySession> = new Map();
  readonly #sweeper: NodeJS.Timeout;
  /** Records a server that ends before a session with it has begun. */
  readonly #backoff: Backoff = new Backoff();
  #closed = false;

  readonly #shared: Pick<SharedChild, "hasSpare" | "takeSpare">;

  /**
   * @param max how many sessions, each with a child process, may be open at once
   * @param shared may have a child that runs and serves nobody
   */
  constructor(
    runtime: ServerRuntime,
    child: ChildOptions,
    max: number,
    shared: Pick<SharedChild, "hasSpare" | "takeSpare">,
  ) {
    this.#shared = shared;
    this.#runtime = runtime;
    this.#child = child;
    this.#max = max;
    this.#sweeper = setInterval(() => this.#sweep(), SWEEP_MS);
    this.#sweeper.unref();
  }

  /** How many sessions are open. */
  get size(): number {
    return this.#sessions.size;
  }

  /** Whether a session with this id is open. */
  has(id: string): boolean {
    return this.#sessions.get(id)?.closing === false;
  }

  /** Returns the open session that a request names, if it belongs to the caller. */
  of(request: HttpRequest): LegacySession | undefined {
    const session = this.#sessions.get(headerOf(request, SESSION) ?? "");
    if (session === undefined || session.closing) return undefined;
    return session.owner === ownerName(request) ? session : undefined;
  }

  async post(request: PostRequest, response: HttpResponse, frame: Frame): Promise<void> {
    if (headerOf(request, SESSION) !== undefined) {
      const session = this.#find(request, response, frame.id);
      await session?.post(frame, response, {
        caller: conversationOwner(request).caller,
        ...request.own,
      });
      return;
    }
    // Without an id there is no response: the session would never begin, and its process would stay.
    if (frame.method !== "initialize" || frame.kind !== "request") {
      const message =
        frame.method === "initialize"
          ? "initialize needs an id: its response begins the session"
          : "Mcp-Session-Id is missing: send the one that the response to initialize carried";
      sendError(response, 400, message, { id: frame.id });
      return;
    }
    const refusal = this.#refusal();
    if (refusal === undefined) await this.#open(request).begin(frame, response, request.own);
    else await this.#refuse(refusal, request, response, frame);
  }

  async get(request: HttpRequest, response: HttpResponse): Promise<void> {
    const session = this.#ofHeader(request, response, NO_SSE);
    if (session === undefined) return;
    if (await session.listen(response, lastEventId(request))) return;
    sendError(response, 400, "Last-Event-ID names no event of this session");
  }

  async delete(request: HttpRequest, response: HttpResponse): Promise<void> {
    const session = this.#ofHeader(request, response);
    if (session === undefined) return;
    await session.leave();
    response.writeHead(200).end();
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#sweeper);
    await Promise.all([...this.#sessions.values()].map((session) => session.close()));
  }

  #ofHeader(request: HttpRequest, response: HttpResponse, hint = ""): LegacySession | undefined {
    if (headerOf(request, SESSION) !== undefined) return this.#find(request, response);
    sendError(response, 400, `Mcp-Session-Id is missing${hint}`);
    return undefined;
  }

  /** Returns the session that a request names; undefined if the request was refused. */
  #find(
    request: HttpRequest,
    response: HttpResponse,
    requestId?: string,
  ): LegacySession | undefined {
    const session = this.of(request);
    if (session === undefined) {
      sendError(response, 404, SESSION_NOT_FOUND, { id: requestId });
      return undefined;
    }
    const version = headerOf(request, "mcp-protocol-version");
    if (version === undefined || session.speaks(version)) return session;
    const { revision = "that of the response to initialize" } = session;
    const message = `MCP-Protocol-Version names no known revision: send ${revision}`;
    sendError(response, 400, message, { id: requestId });
    return undefined;
  }

  /** Returns why no session can begin now. */
  #refusal(): Refusal | undefined {
    if (this.#closed) return { reason: "the gateway is stopping" };
    if (this.#sessions.size >= this.#max) {
      const limit = `the limit of ${this.#max} sessions is reached`;
      return { reason: `${limit}; end a session, or raise limits.sessions` };
    }
    const { refusal: reason, seconds } = this.#backoff;
    if (reason !== undefined) return { reason, seconds };
    const full = this.#shared.hasSpare ? undefined : this.#child.slots?.full;
    return full === undefined ? undefined : { reason: full };
  }

  /** Rejects a session, and records that. */
  async #refuse(
    { reason, seconds = RETRY_AFTER }: Refusal,
    request: HttpRequest,
    response: HttpResponse,
    frame: Frame,
  ): Promise<void> {
    const { name, paced } = this.#runtime;
    const what = `${name}: a session was refused`;
    paced.warn(what, `${what}: ${reason}`);
    // It is rejected even if the record fails.
    await this.#runtime.recordChange({
      status: "rejected",
      reason: `a session was refused: ${reason}`,
      client: clientIdentity(frame),
      caller: ownerName(request),
    });
    sendError(response, 503, reason, { id: frame.id, headers: { "retry-after": `${seconds}` } });
  }

  #open(request: HttpRequest): LegacySession {
    this.#backoff.started();
    const id = randomUUID();
    const session = new LegacySession(id, this.#runtime, this.#child, {
      sender: senderOf(request, id),
      caller: identityOf(request).caller,
      running: this.#shared.takeSpare(),
    });
    this.#sessions.set(session.id, session);
    void session.ended.then((end) => {
      this.#sessions.delete(session.id);
      if (!session.crashed) return;
      // A session that has begun may have ended for its own reasons; others can still begin. A process that did not
      // even start costs nothing, and the cause may be a lack of descriptors, which passes soon.
      if (!session.begun && !end.failedToStart) this.#backoff.ended();
      const who = end.failedToStart ? "" : "server ";
      const { name, paced } = this.#runtime;
      paced.warn(`${name}: the end of a session`, `${name}: ${who}${end.reason}`);
    });
    return session;
  }

  #sweep(): void {
    const now = performance.now();
    for (const session of this.#sessions.values()) {
      if (session.closing || !session.idle || now - session.usedAt < IDLE_MS) continue;
      this.#runtime.log.info(`${this.#runtime.name}: a session was ended after 30 idle minutes`);
      void session.close();
    }
  }
}
