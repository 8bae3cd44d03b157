import { revisionOf } from "@touchstone/protocol/advanced";
import { BoundedMap, type Sender } from "@touchstone/util";
import type { Conversation, Pipeline } from "../../pipeline/pipeline.ts";
import { hashSecret, type ServerRuntime } from "../server-runtime.ts";
import { describeCredentials } from "./login.ts";
import type { UpstreamClient } from "./upstream.ts";

/** How many event ids of one session to keep. */
const MAX_EVENTS = 500;

/** How many sessions to keep; the oldest is dropped beyond this many. */
const MAX_SESSIONS = 10_000;

/** The gateway's state for a session of the upstream, or for a request without one. */
export interface UpstreamSession {
  readonly pipeline: Pipeline;
  /** The session's id; none before the upstream sent one. */
  id: string | undefined;
  /** The client's latest `Authorization`, if the upstream gets it. */
  authorization: string | undefined;
  /**
   * The ids of the latest events on its streams, after which its client may request the rest. Kept if callers are
   * told apart: the server might replay another caller's stream.
   */
  readonly events: BoundedMap<string, true> | undefined;
  /** Its open streams for messages that the server starts. A message goes on one of them: the newest. */
  readonly streams: Set<object>;
  /** How many requests may still get responses. */
  underWay: number;
  /** Ends the session when no request is open anymore, if it is over. */
  over: (() => Promise<unknown>) | undefined;
}

/** What a request's headers say about it. */
export interface RequestHeaderFacts {
  readonly session: string | undefined;
  readonly version: string | undefined;
  /** `Authorization`, if the upstream gets it. */
  readonly authorization: string | undefined;
  /** Whether the request opens a session. */
  readonly begins: boolean;
  /** Who sends it. */
  readonly sender: Sender;
  readonly by: Pick<Conversation, "caller" | "isBound">;
}

/** The sessions of one Streamable HTTP server, as its clients' requests name them. */
export class UpstreamSessions {
  readonly #runtime: ServerRuntime;
  readonly #upstream: UpstreamClient;
  readonly #known: BoundedMap<string, UpstreamSession> = new BoundedMap(MAX_SESSIONS);

  constructor(runtime: ServerRuntime, upstream: UpstreamClient) {
    this.#runtime = runtime;
    this.#upstream = upstream;
  }

  /** Returns what to do about a request that the server refuses for credentials which no client can give it. */
  credentialsFor(status: number, said: string): string {
    const { url, hasCredentials } = this.#upstream;
    return describeCredentials({ name: this.#runtime.name, url, hasCredentials }, status, said);
  }

  /** How many sessions are known. */
  get size(): number {
    return this.#known.size;
  }

  /**
   * Returns the session of a request; undefined if it is another caller's. A session that began before the gateway is
   * accepted, unless callers are distinguished: its owner is unknown.
   */
  async of(introduction: RequestHeaderFacts): Promise<UpstreamSession | undefined> {
    const { session: id, authorization, by } = introduction;
    const known = id === undefined ? undefined : this.#known.get(id);
    if (known === undefined) {
      return id !== undefined && by.isBound === true ? undefined : this.#begin(introduction);
    }
    const { conversation } = known.pipeline;
    if (conversation.caller?.name !== by.caller?.name) return undefined;
    conversation.caller = by.caller;
    known.authorization = authorization;
    return known;
  }

  async #begin(introduction: RequestHeaderFacts): Promise<UpstreamSession> {
    const { session: id, version, authorization, begins, sender, by } = introduction;
    const known =
      id !== undefined || begins
        ? this.#runtime.sessionConversation(id, by)
        : this.#runtime.sharedConversation(authorization, by);
    const conversation: Conversation = { ...known, whole: true, sender };
    // An unknown version has no meaning here; the upstream refuses it itself.
    if (version !== undefined && revisionOf(version)) conversation.revision = version;
    const session = this.#session(conversation, authorization);
    if (id !== undefined) await this.keep(session, id);
    return session;
  }

  /** Keeps a session under the id that the upstream knows it by. */
  async keep(session: UpstreamSession, id: string): Promise<void> {
    session.id = id;
    session.pipeline.conversation.session = hashSecret(id);
    const forgotten = this.#known.set(id, session);
    if (forgotten !== undefined) await this.#end(forgotten, "too many sessions are open");
  }

  /** Forgets a session that has ended. Ends what it left open once no request is open anymore. */
  async end(id: string, reason: string): Promise<void> {
    const session = this.#known.take(id);
    if (session !== undefined) await this.#end(session, reason);
  }

  /** Notes a request whose response may still come after its session ended. Call {@link leave} later. */
  enter(session: UpstreamSession): void {
    session.underWay += 1;
  }

  /** Notes that the request is over. Ends its session if that waited for it. */
  async leave(session: UpstreamSession): Promise<void> {
    session.underWay -= 1;
    if (session.over !== undefined) await this.#over(session, session.over);
  }

  /** Ends what all sessions left open, unless another gateway knows it. */
  async close(reason: string): Promise<void> {
    const known = this.#known.values();
    await Promise.all(
      known.map((session) => this.#over(session, () => session.pipeline.leave(reason))),
    );
  }

  #end(session: UpstreamSession, reason: string): Promise<void> {
    return this.#over(session, () => session.pipeline.end(reason));
  }

  async #over(session: UpstreamSession, end: () => Promise<unknown>): Promise<void> {
    session.over = end;
    if (session.underWay === 0) await end();
  }

  #session(conversation: Conversation, authorization: string | undefined): UpstreamSession {
    const ask = this.#upstream.own.ask(
      conversation,
      () => session,
      (status, said) =>
        session.authorization === undefined || this.#upstream.hasCredentials
          ? this.credentialsFor(status, said)
          : undefined,
    );
    const session: UpstreamSession = {
      pipeline: this.#runtime.pipeline(conversation, ask),
      id: undefined,
      events: conversation.isBound === true ? new BoundedMap(MAX_EVENTS) : undefined,
      authorization,
      streams: new Set(),
      underWay: 0,
      over: undefined,
    };
    return session;
  }
}
