import { type CutMessage, type Frame, nameHeaderFault } from "@touchstone/protocol/advanced";
import { valueOrTimeout } from "@touchstone/util";
import type { HttpUpstream } from "../../config/config.ts";
import type { HttpListRefusedError } from "../../contracts/own-request.ts";
import type { Era } from "../../eras/era.ts";
import { eraOf } from "../../eras/eras.ts";
import { LISTEN } from "../../pipeline/list-change.ts";
import type { MessageOutput, OnCallTimeout } from "../../pipeline/pipeline.ts";
import { responseHeaders } from "../../transport/http/headers.ts";
import {
  type HttpRequest,
  type HttpResponse,
  headerOf,
  lastEventId,
} from "../../transport/http/http-message.ts";
import { joinAnswers } from "../../transport/http/messages.ts";
import { sendError, sendJson } from "../../transport/http/responses.ts";
import {
  CredentialsError,
  failureOf,
  UpstreamCall,
  type UpstreamFailure,
  type UpstreamResponse,
} from "../../transport/http/upstream-call.ts";
import type { ServerRuntime } from "../server-runtime.ts";
import { bufferedResponse } from "./client-answers.ts";
import {
  type Endpoint,
  type PostRequest,
  refuseInvalid,
  refuseTooLarge,
  SESSION_NOT_FOUND,
  senderOf,
  waitForTurn,
} from "./endpoint.ts";
import { conversationOwner, identityOf } from "./identity.ts";
import { bridgedHeaders, changedHeaders, sendHeaderFault } from "./param-headers.ts";
import { ResponseRelay } from "./response-relay.ts";
import { UpstreamClient } from "./upstream.ts";
import { type UpstreamSession, UpstreamSessions } from "./upstream-sessions.ts";

const SESSION_HEADER = "mcp-session-id";

/** How long to wait for what a server says about credentials, in milliseconds. */
const SAID_MS = 1_000;

const LEFT: UpstreamFailure = { reason: "the client closed the connection" };

interface Sent {
  readonly method: "GET" | "POST" | "DELETE";
  readonly body?: Uint8Array;
  /** Headers that replace the client's, by lower-case name; undefined for one to remove. */
  readonly instead?: Readonly<Record<string, string | undefined>> | undefined;
}

/** Called for a response before any of it goes to the client. */
type Answered = (answer: UpstreamResponse) => Promise<void>;

/** A Streamable HTTP server as an endpoint: bodies and streams pass byte for byte. */
export class HttpEndpoint implements Endpoint {
  readonly #runtime: ServerRuntime;
  readonly #upstream: UpstreamClient;
  readonly #maxBytes: number;
  readonly #sessions: UpstreamSessions;

  /**
   * @param maxBytes largest body or event from the upstream
   * @param env variables that may name a proxy
   */
  constructor(
    runtime: ServerRuntime,
    upstream: HttpUpstream,
    maxBytes: number,
    env: Readonly<Record<string, string | undefined>>,
  ) {
    this.#runtime = runtime;
    this.#upstream = new UpstreamClient(upstream, maxBytes, { status: runtime.status, env });
    this.#maxBytes = maxBytes;
    this.#sessions = new UpstreamSessions(runtime, this.#upstream);
  }

  /** The sessions belong to the server. */
  has(): boolean {
    return false;
  }

  async post(request: PostRequest, response: HttpResponse, body: Uint8Array): Promise<void> {
    await waitForTurn(request, body, this.#runtime);
    const frame = this.#runtime.read(body);
    const session = await this.#session(request, response, frame.method === "initialize");
    if (session === undefined) return;
    this.#sessions.enter(session);
    try {
      await this.#post(request, response, frame, session);
    } finally {
      await this.#sessions.leave(session);
    }
  }

  async #post(
    request: PostRequest,
    response: HttpResponse,
    frame: Frame,
    session: UpstreamSession,
  ): Promise<void> {
    const { pipeline } = session;
    if (frame.scan.error !== undefined) {
      await refuseInvalid(response, frame, pipeline, (error) => this.#tell(session, error));
      return;
    }
    const era = eraOf(frame.protocolVersion ?? pipeline.conversation.revision);
    const header = (name: string): string | undefined => headerOf(request, name);
    const fault = era.headersFault(frame, header) ?? nameHeaderFault(frame, header);
    // The server checks the headers itself, and may never see this call.
    if (fault && this.#runtime.mayAnswer(frame)) {
      sendHeaderFault(response, frame, fault);
      return;
    }
    const early: Uint8Array[] = [];
    let exchange: ResponseRelay | undefined;
    const timedOut: OnCallTimeout = (answer, cancellation) => {
      if (!era.cancelsByClosing) this.#tell(session, cancellation);
      if (exchange === undefined) early.push(answer);
      else void exchange.expire(answer);
    };
    const from = { timedOut, transport: fault, ...request.own };
    const { passage } = await pipeline.fromClient(frame, from);
    const taken = await passage;
    const { onward, back = [] } = taken;
    if (onward === undefined) {
      const isHidden = asksForLogin(taken.httpRefusal) && !this.#sendsToken(request);
      refuse(response, frame, taken, era, isHidden ? undefined : taken.httpRefusal);
      if (taken.httpRefusal?.status === 404) await this.#ended(request);
      return;
    }
    const own = [...back, ...early];
    exchange = this.#exchange(session, response, frame, own);
    const answered: Answered = async ({ headers }) => {
      const begun = headers[SESSION_HEADER];
      // Before the client learns its session's id, so that no request of the session comes earlier.
      if (typeof begun === "string") await this.#sessions.keep(session, begun);
    };
    const instead =
      request.own?.bridged === undefined
        ? changedHeaders(era, frame, taken, header)
        : await bridgedHeaders(era, pipeline, onward);
    const sent: Sent = { method: "POST", body: onward, instead };
    const begins = frame.method === "initialize";
    const said = exchange;
    const unwatch =
      frame.method === LISTEN
        ? this.#runtime.watchHeld(() => said.say(pipeline.toolsChanged()))
        : undefined;
    try {
      await this.#relay(request, response, sent, exchange, begins ? answered : undefined);
    } finally {
      unwatch?.();
    }
  }

  async refuse(
    request: HttpRequest,
    response: HttpResponse,
    cut: CutMessage,
    limit: number,
  ): Promise<void> {
    const session = await this.#session(request, response, false);
    if (session === undefined) return;
    const tell = (error: Uint8Array): void => this.#tell(session, error);
    await refuseTooLarge(response, cut, limit, session.pipeline, tell);
  }

  async get(request: HttpRequest, response: HttpResponse): Promise<void> {
    await this.#bodiless("GET", request, response);
  }

  async delete(request: HttpRequest, response: HttpResponse): Promise<void> {
    await this.#bodiless("DELETE", request, response);
    const id = headerOf(request, SESSION_HEADER);
    if (id !== undefined && response.statusCode < 300) {
      await this.#sessions.end(id, "the client ended the session");
    }
  }

  get sessions(): number {
    return this.#sessions.size;
  }

  /** There is no process that could serve a session, or end. */
  spare(): void {}

  async rest(): Promise<void> {}

  async close(): Promise<void> {
    await this.#upstream.close();
    await this.#sessions.close("the gateway has ended before the response was fetched");
  }

  async #bodiless(
    method: "GET" | "DELETE",
    request: HttpRequest,
    response: HttpResponse,
  ): Promise<void> {
    const session = await this.#session(request, response, false);
    if (session === undefined) return;
    const lastEvent = lastEventId(request);
    const resumes = lastEvent !== undefined;
    if (resumes && session.events?.has(lastEvent) === false) {
      sendError(response, 404, "Last-Event-ID names no event of this session");
      return;
    }
    const exchange = this.#exchange(session, response, undefined, [], resumes);
    if (resumes) this.#sessions.enter(session);
    const unwatch = method === "GET" ? this.#announces(session, exchange) : undefined;
    try {
      await this.#relay(request, response, { method }, exchange);
    } finally {
      unwatch?.();
      if (resumes) await this.#sessions.leave(session);
    }
  }

  /** Tells a session on its stream that its list of tools has changed. @returns ends that */
  #announces({ pipeline, streams }: UpstreamSession, exchange: ResponseRelay): () => void {
    streams.add(exchange);
    const unwatch = this.#runtime.watchHeld(() => {
      if ([...streams].at(-1) === exchange) exchange.say(pipeline.toolsChanged());
    });
    return () => {
      streams.delete(exchange);
      unwatch();
    };
  }

  /** Returns the session of a request; undefined if it is another caller's, and the request was refused. */
  async #session(
    request: HttpRequest,
    response: HttpResponse,
    begins: boolean,
  ): Promise<UpstreamSession | undefined> {
    const session = await this.#sessions.of({
      session: headerOf(request, SESSION_HEADER),
      version: headerOf(request, "mcp-protocol-version"),
      authorization: this.#upstream.forwarded(headerOf(request, "authorization")),
      begins,
      sender: senderOf(request, headerOf(request, SESSION_HEADER)),
      by: conversationOwner(request),
    });
    if (session === undefined) sendError(response, 404, SESSION_NOT_FOUND);
    return session;
  }

  /** Forwards the client's request, and brings back the response. */
  async #relay(
    request: HttpRequest,
    response: HttpResponse,
    { method, body, instead }: Sent,
    exchange: ResponseRelay,
    answered?: Answered,
  ): Promise<void> {
    const call = new UpstreamCall();
    if (response.destroyed) call.abort();
    response.on("close", () => call.abort());
    const came = instead === undefined ? request.headers : { ...request.headers, ...instead };
    const headers = this.#upstream.headers(came);
    try {
      const sent = await this.#upstream.send({ method, headers, body }, call);
      const answer = this.#sendsToken(request) ? sent : await this.#unchallenged(sent);
      await answered?.(answer);
      await exchange.relay(answer);
      if (answer.statusCode === 404) await this.#ended(request);
    } catch (error) {
      const failure = call.aborted ? LEFT : failureOf(error);
      if (failure !== LEFT) this.#warn(failure.reason);
      await exchange.fail(failure);
    }
  }

  /** Returns whether the server got a token of the client, so that the client can replace it. */
  #sendsToken(request: HttpRequest): boolean {
    if (identityOf(request).takesTokens === true || this.#upstream.hasCredentials) return false;
    return this.#upstream.forwarded(headerOf(request, "authorization")) !== undefined;
  }

  /**
   * Returns a response without its challenge, which would send a client to log in for a token that is not forwarded, or
   * that is for another URL than the client uses.
   * @throws CredentialsError if the server requires other credentials
   */
  async #unchallenged(response: UpstreamResponse): Promise<UpstreamResponse> {
    const { statusCode } = response;
    const { "www-authenticate": challenge, ...headers } = response.headers;
    if (statusCode !== 401 && challenge === undefined) return response;
    if (statusCode < 400) return { ...response, headers };
    const nothing = (): Uint8Array => Buffer.alloc(0);
    const reading = response.body.whole(this.#maxBytes).catch(nothing);
    const body = await valueOrTimeout(SAID_MS, reading, nothing);
    response.body.discard();
    const { said } = bufferedResponse(response, body);
    throw new CredentialsError(this.#sessions.credentialsFor(statusCode, said));
  }

  /** Forgets the session of a request that the server did not find. */
  async #ended(request: HttpRequest): Promise<void> {
    const id = headerOf(request, SESSION_HEADER);
    if (id !== undefined) await this.#sessions.end(id, "the server ended the session");
  }

  #exchange(
    session: UpstreamSession,
    response: HttpResponse,
    frame: Frame | undefined,
    own: readonly Uint8Array[],
    resumes = false,
  ): ResponseRelay {
    return new ResponseRelay({
      pipeline: session.pipeline,
      frame,
      response,
      own,
      maxBytes: this.#maxBytes,
      resumable: session.id !== undefined,
      resumes,
      marked: (id) => void session.events?.set(id, true),
      refusedOpening: (what) => {
        const { name, paced } = this.#runtime;
        paced.warn(`${name}: a refused connection`, `${name}: ${frame?.method}: ${what}`);
      },
      leftOut: (what) => {
        const { name, paced } = this.#runtime;
        paced.warn(`${name}: an event that was dropped`, `${name}: ${what}`);
      },
      tell: (message) => this.#tell(session, message),
    });
  }

  /** Sends a message to the server instead of the client's. */
  #tell(session: UpstreamSession, frame: Uint8Array): void {
    this.#upstream.own
      .tell(session.pipeline.conversation, session, frame)
      .catch((error: unknown) => {
        this.#warn(failureOf(error).reason);
      });
  }

  #warn(reason: string): void {
    const { name, paced } = this.#runtime;
    paced.warn(`${name}: a request that failed`, `${name}: ${reason}`);
  }
}

function asksForLogin(refusal: HttpListRefusedError | undefined): boolean {
  return refusal?.status === 401 || refusal?.status === 403;
}

/**
 * Responds to a POST of which nothing is forwarded.
 * @param refusal the status with which the server would have refused it: it says where to get credentials, that a
 *   session has ended, or when to try again
 */
function refuse(
  response: HttpResponse,
  { kind }: Frame,
  { back = [] }: MessageOutput,
  era: Era,
  refusal: HttpListRefusedError | undefined,
): void {
  const [only] = back;
  if (only === undefined) {
    response.writeHead(202).end();
    return;
  }
  const own = kind === "batch" ? 200 : kind === "request" ? era.statusOf(only) : 400;
  const headers = refusal && responseHeaders(refusal.headers);
  sendJson(response, refusal?.status ?? own, joinAnswers(back, kind === "batch"), headers);
}
