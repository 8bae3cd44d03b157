import { createHash, randomBytes, randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import { setImmediate as nextTurn } from "node:timers/promises";
import { messageOf } from "@touchstone/core/advanced";
import type { SessionBounds, SessionStore } from "@touchstone/records/plain";
import type { Logger } from "@touchstone/util";
import type { GatewayConfig } from "../../config/config.ts";
import type { Providers } from "./providers.ts";
import {
  lifetimeOf,
  type Session,
  type SignedInBy,
  sessionExtras,
  sessionOwner,
  sessionSecret,
  validateSession,
} from "./session.ts";

/** The most sessions of one person, and of all. The ones that were used least recently end first. */
const BOUNDS: SessionBounds = { ofOwner: 20, inAll: 1_000 };
/** How often the use of a session is noted, in milliseconds. */
const USE_STEP_MS = 60_000;
/** How often the sessions of open streams are checked, in milliseconds. */
const LOOK_MS = 1_000;
/**
 * How many sessions to check in one turn of the event loop: each may have 200 groups, all of which are part of its
 * digest.
 */
const SESSIONS_PER_TURN = 20;

export interface SessionsParts {
  readonly store: SessionStore;
  /** The configuration in force. */
  readonly config: () => GatewayConfig;
  readonly providers: Providers;
  /** Milliseconds since the Unix epoch. Default: the system's clock. */
  readonly now?: (() => number) | undefined;
  readonly log: Logger;
}

/** A new session. */
export interface OpenedSession {
  /** For the browser's cookie only. */
  readonly value: string;
  readonly session: Session;
  /** The sessions that ended because there were too many. */
  readonly ended: readonly string[];
}

const tokenOf = (value: string): string => createHash("sha256").update(value).digest("hex");

/**
 * The sessions of browsers that are signed in to the console. The store is read for each request, so that a session
 * that ended in one process ends in all, and each session is checked by the configuration in force.
 */
export class Sessions {
  readonly #parts: SessionsParts;
  readonly #now: () => number;
  /** Responses that are under way, by the value of their session's cookie. */
  readonly #open: Map<string, Set<ServerResponse>> = new Map();
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;

  constructor(parts: SessionsParts) {
    this.#parts = parts;
    this.#now = parts.now ?? Date.now;
  }

  /**
   * Begins a session.
   * @returns undefined if the person may do nothing
   * @throws ActivityError if the store does not keep it
   */
  async open(by: SignedInBy): Promise<OpenedSession | undefined> {
    const { providers, config, store } = this.#parts;
    const secret = sessionSecret(by, providers);
    if (secret === undefined) return undefined;
    const value = randomBytes(32).toString("base64url");
    const now = this.#now();
    const created = new Date(now).toISOString();
    const of = {
      id: randomUUID(),
      token: tokenOf(value),
      owner: sessionOwner(by),
      caller: ("person" in by ? by.person.name : by.identity.caller?.name) ?? null,
      created,
      expires: new Date(now + lifetimeOf(config())).toISOString(),
    };
    const kept = { ...of, seen: created, about: sessionExtras(by, secret, of) };
    const session = validateSession(kept, config(), providers, now);
    if (session === undefined) return undefined;
    const ended = await store.add(kept, BOUNDS, created);
    return { value, session, ended };
  }

  /**
   * Returns the session of a cookie's value; undefined if there is none, or if it is not valid now.
   * @throws ActivityError if the store cannot be read
   */
  async find(value: string): Promise<Session | undefined> {
    const { store, config, providers, log } = this.#parts;
    const kept = await store.find(tokenOf(value));
    const now = this.#now();
    const session = kept && validateSession(kept, config(), providers, now);
    if (session === undefined) return undefined;
    if (now - Date.parse(session.seen) >= USE_STEP_MS) {
      // A session is valid even if its last use cannot be stored.
      store.use(session.id, new Date(now).toISOString()).catch((error: unknown) => {
        log.debug("the use of a session was not noted", { reason: messageOf(error) });
      });
    }
    return session;
  }

  /** Returns the sessions that are valid now, the latest first. @throws ActivityError if the store cannot be read */
  async all(): Promise<readonly Session[]> {
    const { store, config, providers } = this.#parts;
    const kept = await store.all();
    const found: Session[] = [];
    for (const [index, one] of kept.entries()) {
      if (index > 0 && index % SESSIONS_PER_TURN === 0) await nextTurn();
      const session = validateSession(one, config(), providers, this.#now());
      if (session !== undefined) found.push(session);
    }
    return found;
  }

  /** Ends a session, and its open streams. Returns whether it was there. @throws ActivityError */
  async end(id: string): Promise<boolean> {
    const wasThere = await this.#parts.store.end(id);
    await this.#look();
    return wasThere;
  }

  /** Ends a response when its session ends or becomes invalid, unless the response is complete by then. */
  follow(response: ServerResponse, value: string): void {
    if (response.closed) return;
    const open = this.#open.get(value) ?? new Set();
    this.#open.set(value, open.add(response));
    this.#timer ??= setInterval(() => {
      this.#looking ??= this.#look().finally(() => {
        this.#looking = undefined;
      });
    }, LOOK_MS).unref();
  }

  /** Checks the sessions of open responses. A session that cannot be checked counts as invalid. */
  async #look(): Promise<void> {
    await Promise.all([...this.#open.keys()].map((value) => this.#lookAt(value)));
    if (this.#open.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async #lookAt(value: string): Promise<void> {
    if (this.#openOf(value).length === 0) return;
    const session = await this.find(value).catch(() => undefined);
    if (session !== undefined) return;
    // A response that has not begun was allowed when its request arrived.
    for (const response of this.#openOf(value)) {
      if (response.headersSent && !response.writableEnded) response.destroy();
    }
  }

  /** Returns the responses of a session that are still open, and forgets the others. */
  #openOf(value: string): readonly ServerResponse[] {
    const open = this.#open.get(value) ?? new Set();
    for (const response of open) if (response.closed) open.delete(response);
    if (open.size === 0) this.#open.delete(value);
    return [...open];
  }
}
