/** A browser that is signed in to the console, as a store keeps it. */
export interface ConsoleSession {
  /** Names the session for people and records. It cannot be used to sign in. */
  readonly id: string;
  /** SHA-256 of the cookie's value, in hex: the value itself is only in the browser. */
  readonly token: string;
  /** The owner of the session: the number of sessions of one owner is limited. */
  readonly owner: string;
  /** The name of a key or a person, for erasure; null if the session has none. */
  readonly caller: string | null;
  /** Further data of the session, as JSON text. */
  readonly about: string;
  /** When it began, was last used, and ends: RFC 3339 in UTC. */
  readonly created: string;
  readonly seen: string;
  readonly expires: string;
}

/** Limits on the number of sessions in a store. */
export interface SessionBounds {
  readonly ofOwner: number;
  readonly inAll: number;
}

/** Keeps the sessions of browsers for all processes that share a store. Every method rejects with an ActivityError. */
export interface SessionStore {
  /**
   * Adds a session. Removes expired ones, and beyond the limits those that were used least recently.
   * @param now RFC 3339 in UTC
   * @returns the ids of the sessions that were removed because of the limits
   */
  add(session: ConsoleSession, bounds: SessionBounds, now: string): Promise<readonly string[]>;
  /** Returns the session of a token; undefined if it is unknown. It may have expired. */
  find(token: string): Promise<ConsoleSession | undefined>;
  /** Notes that a session was used. */
  use(id: string, at: string): Promise<void>;
  /** Returns all kept sessions, the latest first. They may have expired. */
  all(): Promise<readonly ConsoleSession[]>;
  /** Removes a session. Returns whether it was there. */
  end(id: string): Promise<boolean>;
}
