import { randomUUID } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import {
  type CutMessage,
  type Frame,
  LATEST,
  readFrame,
  revisionOf,
} from "@touchstone/protocol/advanced";
import { BoundedMap } from "@touchstone/util";
import { ASK_TIMEOUT_MS } from "../../../contracts/own-request.ts";
import { BridgedClient } from "../../../eras/bridge/bridged-client.ts";
import type { Bridging } from "../../../eras/bridge/bridging.ts";
import { DISCOVER_LAST_MS, INITIALIZE_MS, unansweredError } from "../../../eras/bridge/messages.ts";
import { modern } from "../../../eras/modern.ts";
import { MAX_BATCH } from "../../../pipeline/batch.ts";
import { EventStream } from "../../../transport/http/event-stream.ts";
import {
  type HttpRequest,
  type HttpResponse,
  headerOf,
} from "../../../transport/http/http-message.ts";
import { messagesOf } from "../../../transport/http/messages.ts";
import { Reply } from "../../../transport/http/reply.ts";
import { sendError } from "../../../transport/http/responses.ts";
import type { ServerRuntime } from "../../server-runtime.ts";
import {
  type Endpoint,
  type OwnClientOptions,
  type PostRequest,
  SESSION_NOT_FOUND,
  waitForTurn,
} from "../endpoint.ts";
import { identityOf, ownerName, setIdentity } from "../identity.ts";
import { BridgedRequest } from "./bridged-request.ts";
import { HeldResponse, type InitializeOutcome } from "./held-response.ts";
import { InnerResponse, type PlainResponse } from "./inner-response.ts";

const SESSION = "mcp-session-id";
const VERSION = "mcp-protocol-version";
/** How many sessions to keep; the oldest is dropped beyond this many. */
const MAX_SESSIONS = 10_000;
/** A longer body begins no session. */
const MAX_INITIALIZE = 65_536;
const ID = '"touchstone-bridge"';
/** What the ids of sessions begin with: a client of one that is not known anymore has to begin another one. */
const OWN = "touchstone-bridge-";
const isBridged = (id: string | undefined): id is string => id?.startsWith(OWN) === true;
/** Headers of a client that are not for a request that the bridge writes. */
const NOT_FORWARDED = /^(?:mcp-|content-length$|last-event-id$)/;

/** A stream of a client for messages that the server starts. */
interface ServerStream {
  /** The GET that opened it. */
  readonly request: HttpRequest;
  readonly events: EventStream;
  /** The response to the subscription. */
  inner: InnerResponse | undefined;
}

/** A session of a client that the bridge connects with the server. */
interface BridgedSession {
  readonly id: string;
  /** The name of the caller that owns it. */
  readonly owner: string | undefined;
  readonly client: BridgedClient;
  /** Open requests, by the keys of their ids. */
  readonly open: Map<string, BridgedRequest>;
  /** The client's stream for messages that the server starts. */
  stream: ServerStream | undefined;
}

/**
 * A server as an endpoint that clients of earlier revisions reach although it has no `initialize` (`bridge`). The
 * endpoint inside gets their messages in the server's revision; it checks and records these. All other clients use it
 * as if there was no bridge.
 */
export class BridgeEndpoint implements Endpoint {
  readonly #runtime: ServerRuntime;
  readonly #inner: Endpoint;
  readonly #maxBytes: number;
  readonly #sessions: BoundedMap<string, BridgedSession> = new BoundedMap(MAX_SESSIONS);
  /** Whether the server has refused `initialize`, or not responded to it, so that `server/discover` comes first. */
  #refuses = false;

  /** @param maxBytes largest body or event of the server */
  constructor(runtime: ServerRuntime, inner: Endpoint, maxBytes: number) {
    this.#runtime = runtime;
    this.#inner = inner;
    this.#maxBytes = maxBytes;
  }

  get sessions(): number {
    return this.#inner.sessions + this.#sessions.size;
  }

  has(session: string): boolean {
    return this.#sessions.has(session) || this.#inner.has(session);
  }

  async post(request: PostRequest, response: HttpResponse, body: Uint8Array): Promise<void> {
    const id = headerOf(request, SESSION);
    if (isBridged(id)) {
      await waitForTurn(request, body, this.#runtime);
      const session = this.#find(request, response, id);
      if (session !== undefined) await this.#cross(session, request, response, body);
      return;
    }
    const begins = id === undefined && this.#runtime.bridges && body.length <= MAX_INITIALIZE;
    const initialize = begins ? readFrame(body) : undefined;
    const client = initialize?.method === "initialize" ? BridgedClient.of(initialize) : undefined;
    if (initialize === undefined || client === undefined) {
      await this.#inner.post(request, response, body);
    } else await this.#begin(client, initialize, request, response);
  }

  async refuse(
    request: HttpRequest,
    response: HttpResponse,
    cut: CutMessage,
    limit: number,
  ): Promise<void> {
    const id = headerOf(request, SESSION);
    if (!isBridged(id)) {
      await this.#inner.refuse(request, response, cut, limit);
      return;
    }
    await this.#inner.refuse(this.#requestOf(request, {}), response, cut, limit);
  }

  /** Opens the stream for messages that the server starts (MCP 2025-11-25, Transports), which is a subscription there. */
  async get(request: HttpRequest, response: HttpResponse): Promise<void> {
    const id = headerOf(request, SESSION);
    if (!isBridged(id)) {
      await this.#inner.get(request, response);
      return;
    }
    const session = this.#find(request, response, id);
    if (session === undefined) return;
    if (!session.client.mayListen) {
      const text = "the server sends nothing of its own accord to this session";
      sendError(response, 405, text, { headers: { allow: "POST, DELETE" } });
      return;
    }
    session.stream?.events.leave();
    const stream: ServerStream = { request, events: new EventStream(response), inner: undefined };
    session.stream = stream;
    response.once("close", () => {
      stream.inner?.destroy();
      if (session.stream === stream) session.stream = undefined;
    });
    this.#listen(session);
  }

  /** Subscribes to what the client of a stream expects to hear of. Its messages come on that stream. */
  #listen({ client, stream }: BridgedSession): void {
    if (stream === undefined) return;
    const { events, inner: before } = stream;
    const { request: bytes } = client.listen();
    if (bytes === undefined) {
      before?.destroy();
      return;
    }
    let last: Promise<unknown> = Promise.resolve();
    const inner = new InnerResponse(
      {
        message: (frame) => {
          const shown = async (): Promise<void> => {
            for (const message of (await client.shown(frame.bytes)).messages) {
              await events.send(message);
            }
          };
          last = last.then(shown).catch(() => {});
          // Only now: changes between the two subscriptions would be missed.
          before?.destroy();
        },
        answer: () => {},
        none: () => {},
      },
      this.#maxBytes,
    );
    // The client may come back, unless another subscription has replaced this one.
    inner.once("close", () => {
      void last.then(() => stream.inner === inner && events.end());
    });
    stream.inner = inner;
    const own = this.#requestOf(stream.request, { bytes, bridged: client });
    own.headers.accept = "application/json, text/event-stream";
    own.headers["content-type"] = "application/json";
    this.#inner.post(own, inner, bytes).catch(() => events.end());
  }

  async delete(request: HttpRequest, response: HttpResponse): Promise<void> {
    const id = headerOf(request, SESSION);
    if (!isBridged(id)) {
      await this.#inner.delete(request, response);
      return;
    }
    const session = this.#find(request, response, id);
    if (session === undefined) return;
    this.#sessions.take(id);
    for (const open of session.open.values()) open.cancel();
    session.stream?.events.end();
    response.writeHead(200).end();
  }

  spare(): void {
    this.#inner.spare();
  }

  rest(): Promise<void> {
    return this.#inner.rest();
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  /** Returns the session that a request names; undefined if the request was refused. */
  #find(request: HttpRequest, response: HttpResponse, id: string): BridgedSession | undefined {
    const session = this.#sessions.get(id);
    if (session === undefined || session.owner !== ownerName(request)) {
      sendError(response, 404, SESSION_NOT_FOUND);
      return undefined;
    }
    const version = headerOf(request, VERSION);
    if (version === undefined || revisionOf(version) !== undefined) return session;
    const [revision] = session.client.pair.split(">");
    const message = `MCP-Protocol-Version names no known revision: send ${revision}`;
    sendError(response, 400, message);
    return undefined;
  }

  /** Begins a session with the server itself, or one of the bridge if the server refuses that or does not respond. */
  async #begin(
    client: BridgedClient,
    initialize: Frame,
    request: PostRequest,
    response: HttpResponse,
  ): Promise<void> {
    const { bytes, id = "null" } = initialize;
    const tried = this.#refuses ? "refused" : await this.#tried(client, bytes, request, response);
    if (tried === "forwarded") return;
    const isSilent = tried === "silent";
    const patience = isSilent ? DISCOVER_LAST_MS : ASK_TIMEOUT_MS;
    const discovered = await this.#discover(client, request, patience);
    const begun = discovered && client.initialized(id, discovered, this.#runtime.name);
    this.#refuses = begun !== undefined;
    if (begun === undefined && isSilent) {
      await new Reply(response, 1).answer(unansweredError(id));
      return;
    }
    if (begun === undefined) {
      await this.#inner.post(request, response, bytes);
      return;
    }
    const session: BridgedSession = {
      ...{ id: `${OWN}${randomUUID()}`, owner: ownerName(request), client, open: new Map() },
      stream: undefined,
    };
    client.onExpired = (crossing) => {
      void session.open.get(crossing.about ?? "")?.take(crossing);
    };
    this.#sessions.set(session.id, session);
    this.#runtime.bridged(client.pair);
    const reply = new Reply(response, 1);
    reply.header(SESSION, session.id);
    await reply.answer(begun);
  }

  /** Sends `initialize` to the server. Returns what came of it; if it was not refused, the client has the response. */
  async #tried(
    client: BridgedClient,
    bytes: Uint8Array,
    request: PostRequest,
    response: HttpResponse,
  ): Promise<InitializeOutcome> {
    const held = new HeldResponse(response);
    const timer = setTimeout(() => held.giveUp(), INITIALIZE_MS);
    const own = { ...request.own, bridged: client };
    const { headers, socket } = request;
    const posted = this.#inner.post(sameSender(request, { headers, socket, own }), held, bytes);
    try {
      // The response may come later.
      return await Promise.race([held.decided, posted.then(() => held.decided)]);
    } finally {
      clearTimeout(timer);
      posted.catch(() => {});
    }
  }

  /** Asks the server what it can do. Never rejects. */
  async #discover(
    client: BridgedClient,
    request: PostRequest,
    patience: number,
  ): Promise<Frame | undefined> {
    const bytes = client.discover(ID);
    return new Promise((resolve) => {
      const inner = new InnerResponse(
        { message: () => {}, answer: resolve, none: () => resolve(undefined) },
        this.#maxBytes,
      );
      const timer = setTimeout(() => inner.destroy(), patience);
      inner.on("close", () => {
        clearTimeout(timer);
        resolve(undefined);
      });
      this.#inner
        .post(this.#requestOf(request, { bytes, bridged: client }), inner, bytes)
        .catch(() => resolve(undefined));
    });
  }

  async #cross(
    session: BridgedSession,
    request: PostRequest,
    response: HttpResponse,
    body: Uint8Array,
  ): Promise<void> {
    const frame = readFrame(body, { outline: true });
    const { kind, scan } = frame;
    const messages = messagesOf(frame);
    const isNone = kind === "invalid" || messages.length === 0 || messages.length > MAX_BATCH;
    if (scan.error !== undefined || isNone) {
      // The endpoint inside refuses and records it.
      await this.#inner.post(this.#requestOf(request, {}), response, body);
      return;
    }
    const requests = messages.filter((message) => message.kind === "request").length;
    const reply = new Reply(response, requests);
    await Promise.all(
      messages.map((message) => this.#one(session, message, { request, response, reply })),
    );
    if (requests === 0) reply.accepted();
  }

  async #one(
    session: BridgedSession,
    message: Frame,
    { request, response, reply }: Exchange,
  ): Promise<void> {
    const { client, open } = session;
    const { kind, id, idKey = "", method } = message;
    const crossing = client.fromClient(message);
    const { onward, back, about } = crossing;
    if (about !== undefined) {
      const earlier = open.get(about);
      // Over HTTP a request is canceled by closing its stream (MCP 2026-07-28, Transports).
      const isCanceled = method === "notifications/cancelled";
      await earlier?.take(isCanceled ? { notices: crossing.notices ?? [] } : crossing);
      if (isCanceled) earlier?.cancel();
      return;
    }
    if (crossing.listens) this.#listen(session);
    if (back !== undefined) await reply.answer(back);
    if (onward === undefined) return;
    const maxBytes = this.#maxBytes;
    const post = (bytes: Uint8Array, to: HttpResponse): Promise<void> => {
      const own = this.#requestOf(request, { bytes, bridged: client, by: request.own });
      return this.#inner.post(own, to, bytes);
    };
    if (kind !== "request") {
      const ignored = { message: () => {}, answer: () => {}, none: () => {} };
      await post(onward, new InnerResponse(ignored, maxBytes));
      return;
    }
    const plain = (said: PlainResponse): void => sendPlain(response, id, said);
    const own = new BridgedRequest({ client, response, reply, maxBytes, post, plain });
    open.set(idKey, own);
    own.send(onward);
    try {
      await own.over;
    } finally {
      if (open.get(idKey) === own) {
        open.delete(idKey);
        client.forget(idKey);
      }
    }
  }

  /** Returns the request of a message that the bridge has written: from the same sender, with the headers that go with it. */
  #requestOf(
    request: PostRequest,
    {
      bytes,
      bridged,
      by,
    }: { bytes?: Uint8Array; bridged?: Bridging; by?: OwnClientOptions | undefined },
  ): PostRequest {
    const came = Object.entries(request.headers);
    const headers: IncomingHttpHeaders = Object.fromEntries(
      came.filter(([name]) => !NOT_FORWARDED.test(name)),
    );
    headers[VERSION] = LATEST.version;
    if (bytes !== undefined) {
      Object.assign(headers, modern.messageHeaders(readFrame(bytes, { outline: true }), []));
    }
    const own = bridged === undefined ? by : { ...by, bridged };
    return sameSender(request, { headers, socket: request.socket, own });
  }
}

/** The POST of a client and what responds to it. */
interface Exchange {
  readonly request: PostRequest;
  readonly response: HttpResponse;
  readonly reply: Reply;
}

function sameSender(from: HttpRequest, to: PostRequest): PostRequest {
  setIdentity(to, identityOf(from));
  return to;
}

/** Responds with an HTTP error of the server. */
function sendPlain(
  response: HttpResponse,
  id: string | undefined,
  { status, headers, body }: PlainResponse,
): void {
  const said = status < 400 ? 502 : status === 404 ? 502 : status;
  if (body.length === 0 || status < 400) {
    sendError(response, said, "the server's response holds no JSON-RPC message", { id });
    return;
  }
  if (response.headersSent || response.destroyed) return;
  const { "content-length": _length, "transfer-encoding": _coding, ...rest } = headers;
  response.writeHead(said, { ...rest, "content-length": body.length }).end(body);
}
