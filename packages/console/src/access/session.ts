import { ApiError } from "../api/client.ts";
import { type GatewayApi, messageOf } from "../api/gateway.ts";

export const ROLES = ["caller", "viewer", "admin"] as const;
/** What a user may do; each role includes the roles before it. */
export type Role = (typeof ROLES)[number];

/** Returns whether a role includes another one. */
export const includesRole = (role: Role, needed: Role): boolean =>
  ROLES.indexOf(role) >= ROLES.indexOf(needed);

/** An identity provider that the gateway accepts. */
export interface Provider {
  readonly name: string;
  readonly label: string;
}

/** A user who is signed in. */
export interface Person {
  readonly id: string;
  readonly name?: string | undefined;
  readonly role: Role;
  readonly credential: string;
  readonly provider?: string | undefined;
  readonly expires: string;
}

/**
 * The user of the page.
 *
 * - `unknown`: the gateway has not responded yet; `error` says why, if it cannot
 * - `stranger`: somebody who has to sign in
 * - `visitor`: somebody who has not signed in, at a gateway that requires no key. Reads everything
 * - `person`: somebody who is signed in
 */
export type PageUser =
  | { readonly kind: "unknown"; readonly error?: string }
  | { readonly kind: "stranger" | "visitor"; readonly providers: readonly Provider[] }
  | {
      readonly kind: "person";
      readonly providers: readonly Provider[];
      readonly person: Person;
    };

/** What the page knows about its session. */
export interface SessionState {
  readonly who: PageUser;
  /** The role of the last user of the page: what is shown stays as it is when a session ends. */
  readonly role?: Role;
  /** Changes if a different user uses the page: nothing that the previous user saw or typed may stay. */
  readonly generation: number;
  /** Number of sign-ins so far. */
  readonly signIns: number;
  /** Whether pages have been shown to the last user. */
  readonly hasShown: boolean;
  /** Why a link did not sign in. */
  readonly linkError?: string;
  /** Set while a visitor is asked to sign in, with the role that is needed, if any. */
  readonly asked?: { readonly role?: Role };
}

/** A key of the gateway, or the code of a link. */
export type SignInProof = { readonly key: string } | { readonly code: string };

/** Message that a tab posts to the other tabs of this browser after a sign-in or a sign-out. */
const SIGNED_IN = "signed in";
const SIGNED_OUT = "signed out";

/** Notifies the other tabs of this browser that the session has changed. */
export type SessionChannel = Pick<BroadcastChannel, "postMessage" | "addEventListener">;

interface Wanted {
  readonly role: Role | undefined;
  readonly run: () => void;
  readonly onTooLow: (role: Role) => void;
}

type Session = Awaited<ReturnType<typeof readSession>>;

const readSession = (api: GatewayApi) => api.get("getSession", {});

/** Returns what two sessions of one person have in common. */
const keyOf = ({ credential, name, provider }: Person): string =>
  JSON.stringify([credential, name, provider]);

/**
 * The session of this browser at a gateway. The browser holds it as a cookie that scripts cannot read; this class
 * holds what the gateway reports about it. The page requests the session again whenever a request is refused, and
 * when another tab signs in or out.
 */
export class SessionStore {
  readonly #api: GatewayApi;
  readonly #forget: () => void;
  readonly #channel: SessionChannel | undefined;
  readonly #listeners = new Set<() => void>();
  #state: SessionState = {
    who: { kind: "unknown" },
    generation: 0,
    signIns: 0,
    hasShown: false,
  };
  /** The last user of the page. */
  #last: string | undefined;
  #wanted: Wanted | undefined;
  #checking: Promise<void> | undefined;

  /**
   * @param api whose requests do not call {@link check} if they are refused
   * @param forget called before a different user uses the page: deletes what the browser stores for the previous user
   */
  constructor(api: GatewayApi, forget: () => void, channel?: SessionChannel) {
    this.#api = api;
    this.#forget = forget;
    this.#channel = channel;
    channel?.addEventListener("message", ({ data }) => {
      if (data === SIGNED_OUT) this.#leave();
      void this.check();
    });
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** The same object until something changes. */
  readonly state = (): SessionState => this.#state;

  /** Requests from the gateway who is signed in. Never rejects: without a response, the state does not change. */
  check(): Promise<void> {
    this.#checking ??= readSession(this.#api)
      .then(
        (session) => this.#take(session),
        (thrown: unknown) => {
          if (this.#state.who.kind !== "unknown") return;
          this.#set({ who: { kind: "unknown", error: messageOf(thrown) } });
        },
      )
      .finally(() => {
        this.#checking = undefined;
      });
    return this.#checking;
  }

  /**
   * Signs in with a key. Returns the reason for a failure, as a text to show; undefined after success. Never rejects.
   */
  async signIn(key: string): Promise<string | undefined> {
    return this.#prove({ key });
  }

  /** Signs in with the code of a link; keeps the reason for a failure. Never rejects. */
  async takeLink(code: string): Promise<void> {
    const linkError = await this.#prove({ code });
    if (linkError === undefined) return;
    this.#set({ linkError });
    await this.check();
  }

  /**
   * Returns why a provider did not sign this browser in a moment ago; undefined after success, or if that is unknown.
   * Never rejects.
   */
  async refusalOf(
    provider: string,
  ): Promise<{ readonly code: string; readonly message: string } | undefined> {
    try {
      return await this.#api.get("getSignInRefusal", { provider });
    } catch {
      return undefined;
    }
  }

  /** Forgets why a link did not sign in. */
  dismissLink(): void {
    const { linkError: _, ...rest } = this.#state;
    this.#put(rest);
  }

  /**
   * Signs out: ends the session at the gateway and forgets what the page has shown, in all tabs of this browser.
   * @throws ApiError if the gateway does not respond: the session then goes on
   */
  async signOut(): Promise<void> {
    await this.#api.remove("endSession", {});
    this.#leave();
    this.#channel?.postMessage(SIGNED_OUT);
    await this.check();
  }

  /** Forgets what the page has shown, because its user has left. */
  #leave(): void {
    this.#last = undefined;
    this.#wanted = undefined;
    this.#forget();
    const { role: _, asked: __, ...rest } = this.#state;
    this.#put({ ...rest, generation: rest.generation + 1, hasShown: false });
  }

  /**
   * Runs something that needs a role. A visitor is asked to sign in first; it runs after that, if the role is enough.
   * Does nothing for a user whose role is too low.
   */
  need(role: Role, run: () => void, onTooLow: (role: Role) => void): void {
    const { who } = this.#state;
    if (who.kind === "person") {
      if (includesRole(who.person.role, role)) run();
    } else if (who.kind === "visitor") {
      this.#ask({ role, run, onTooLow });
    }
  }

  /** Asks a visitor to sign in. */
  ask(): void {
    this.#ask({ role: undefined, run: () => {}, onTooLow: () => {} });
  }

  /** Ends what {@link ask} began. */
  cancel(): void {
    this.#wanted = undefined;
    const { asked: _, ...rest } = this.#state;
    this.#put(rest);
  }

  #ask(wanted: Wanted): void {
    this.#wanted = wanted;
    this.#set({ asked: wanted.role === undefined ? {} : { role: wanted.role } });
  }

  async #prove(proof: SignInProof): Promise<string | undefined> {
    try {
      this.#take(await this.#api.send("createSession", {}, proof), true);
      this.#channel?.postMessage(SIGNED_IN);
      return undefined;
    } catch (thrown) {
      if (thrown instanceof ApiError) return thrown.message;
      throw thrown;
    }
  }

  #take(session: Session, isNew = false): void {
    const { generation, signIns } = this.#state;
    const { providers } = session;
    if (!session.signed_in) {
      if (session.open) {
        this.#set({ who: { kind: "visitor", providers }, role: "viewer", hasShown: true });
      } else {
        this.#set({ who: { kind: "stranger", providers } });
      }
      return;
    }
    const before = this.#state.who;
    const key = keyOf(session);
    const isOther = this.#last !== undefined && this.#last !== key;
    this.#last = key;
    if (isOther) this.#forget();
    const isAgain = before.kind !== "person" || before.person.id !== session.id;
    const { asked: _, linkError, ...rest } = this.#state;
    this.#put({
      ...rest,
      ...(isNew || linkError === undefined ? {} : { linkError }),
      who: { kind: "person", providers, person: session },
      role: session.role,
      generation: isOther ? generation + 1 : generation,
      signIns: isAgain ? signIns + 1 : signIns,
      hasShown: true,
    });
    const wanted = this.#wanted;
    this.#wanted = undefined;
    if (wanted === undefined || isOther) return;
    if (wanted.role === undefined || includesRole(session.role, wanted.role)) wanted.run();
    else wanted.onTooLow(wanted.role);
  }

  #set(change: Partial<SessionState>): void {
    this.#put({ ...this.#state, ...change });
  }

  #put(state: SessionState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}
