import type { IncomingHttpHeaders } from "node:http";
import { messageOf } from "@touchstone/core/advanced";
import { type Author, authorFields, authorText } from "@touchstone/records/plain";
import type { ActivityEntry } from "@touchstone/records/record";
import type { Logger } from "@touchstone/util";
import { rememberKeySecrets } from "../../config/callers.ts";
import type { GatewayConfig } from "../../config/config.ts";
import type { Identity } from "../../relay/http/identity.ts";
import type { AccessRefusal } from "../access/access.ts";
import { sameSecret } from "../access/access.ts";
import { AdminError } from "../admin/errors.ts";
import type { ConsoleSessions, SessionShown } from "../api/session-schemas.ts";
import { authorOf, type Requester } from "../author.ts";
import { Attempts } from "./attempts.ts";
import type { SignInCodes } from "./codes.ts";
import {
  isFromConsole,
  isOverHttps,
  removedCookies,
  sessionCookie,
  sessionValues,
} from "./cookie.ts";
import { grantOf, operatorGrant, type SignInGrant } from "./grants.ts";
import type { Person, Providers } from "./providers.ts";
import { lifetimeOf, type Session, type SignedInBy } from "./session.ts";
import type { Sessions } from "./sessions.ts";

export interface SignInParts {
  readonly codes: SignInCodes;
  readonly sessions: Sessions;
  readonly providers: Providers;
  /** The configuration in force. */
  readonly config: () => GatewayConfig;
  readonly append: (entries: readonly ActivityEntry[]) => Promise<unknown>;
  /** Logs and records a rejection, unless there were many recently. */
  readonly rejected: (what: string) => void;
  readonly log: Logger;
  readonly attempts?: Attempts;
}

/** Facts about the sender of a request. */
export interface SignInRequester extends Requester {
  readonly headers: IncomingHttpHeaders;
}

/** How a browser signs in. */
export interface SignInMethod {
  /** Whether it reached the gateway over HTTPS. */
  readonly secure: boolean;
  /** The ID of the session that it had. */
  readonly before?: string | undefined;
}

/** A response body, and the cookies that go with it. */
export interface ResponseWithCookies<Body> {
  readonly body: Body;
  readonly cookies: readonly string[];
}

const UNREADABLE: AccessRefusal = {
  status: 503,
  code: "SESSION_UNREADABLE",
  message:
    "The store of sessions does not respond, so it is unknown whether you are signed in. Try again later; the gateway's log says why.",
};

/** Signs browsers in to the console, and out. */
export class SignIn {
  readonly #parts: SignInParts;
  readonly #attempts: Attempts;

  constructor(parts: SignInParts) {
    this.#parts = parts;
    this.#attempts = parts.attempts ?? new Attempts();
  }

  /**
   * Returns the session that a request's cookie names, if the console itself sends the request; undefined if no
   * cookie names one. If two cookies name different sessions, no session is returned: another site has set one of the
   * cookies. Never rejects.
   */
  async sessionOf(
    headers: IncomingHttpHeaders,
  ): Promise<{ readonly value: string; readonly identity: Identity } | AccessRefusal | undefined> {
    return isFromConsole(headers) ? this.#named(headers) : undefined;
  }

  /**
   * Returns the ID of the session that a browser's cookie names, whichever page made the browser send the request;
   * undefined if none is valid, or it cannot be read. The ID only determines which session to end, and gives no
   * rights. Never rejects.
   */
  async sessionIdOf(headers: IncomingHttpHeaders): Promise<string | undefined> {
    const named = await this.#named(headers);
    return named === undefined || "code" in named ? undefined : named.identity.session?.id;
  }

  async #named(
    headers: IncomingHttpHeaders,
  ): Promise<{ readonly value: string; readonly identity: Identity } | AccessRefusal | undefined> {
    let found: { value: string; identity: Identity } | undefined;
    for (const value of sessionValues(headers)) {
      let session: Session | undefined;
      try {
        session = await this.#parts.sessions.find(value);
      } catch (error) {
        return { ...UNREADABLE, reason: messageOf(error) };
      }
      if (session === undefined) continue;
      if (found !== undefined) return undefined;
      found = { value, identity: session.identity };
    }
    return found;
  }

  /** Returns who is signed in. */
  show({ identity }: Pick<SignInRequester, "identity">): SessionShown {
    return this.#shown(identity);
  }

  /**
   * Signs a browser in by a key, or by the code of a link.
   * @throws {AdminError} `SIGN_IN_FAILED` (401) if the key or code is unknown
   */
  async signIn(
    sender: SignInRequester,
    given: { readonly key?: string | undefined; readonly code?: string | undefined },
  ): Promise<ResponseWithCookies<SessionShown>> {
    const { headers, address = "an unknown address" } = sender;
    if (!isFromConsole(headers)) throw notFromConsole();
    const wait = this.#attempts.wait(address);
    if (wait > 0) throw tooMany(wait);
    const grant = this.#grantOf(given);
    if (grant === undefined) {
      this.#attempts.failed(address);
      const what = given.code === undefined ? "an unknown key" : "an unknown, used or old code";
      this.#parts.rejected(`a sign-in to the console was rejected: ${what}, from ${address}`);
      throw given.code === undefined ? unknownKey() : unknownCode();
    }
    return this.signInAs(sender, grant, { secure: isOverHttps(headers) });
  }

  /**
   * Signs a browser in as somebody who was identified, and ends the session that it had.
   * @param how `secure` is whether the browser reached the gateway over HTTPS; `before` is the ID of the session that it
   *   had, which defaults to that of the sender
   * @throws {AdminError} `SIGN_IN_FAILED` (401) if the person has no role here
   */
  async signInAs(
    sender: SignInRequester,
    by: SignedInBy,
    { secure, before = sender.identity.session?.id }: SignInMethod,
  ): Promise<ResponseWithCookies<SessionShown>> {
    const { sessions, config } = this.#parts;
    if ("person" in by) refuseName(by.person, config());
    const opened = await sessions.open(by);
    if (opened === undefined) throw noRole();
    const { session, value, ended } = opened;
    const author = authorOf({ identity: session.identity, address: sender.address });
    const over = ended.length === 0 ? "" : `; ${ended.length} older sessions ended`;
    try {
      await this.#record(author, `signed in to the console: session ${session.id}${over}`);
    } catch (error) {
      // If records are required, a sign-in without a record is undone.
      await sessions.end(session.id);
      throw error;
    }
    if (before !== undefined) await sessions.end(before);
    const seconds = lifetimeOf(config()) / 1_000;
    return {
      body: this.#shown(session.identity),
      cookies: [sessionCookie(sender.headers, value, { seconds, secure })],
    };
  }

  /** Signs a browser out. Removes the browser's cookies, whether or not they named a session. */
  async signOut(sender: SignInRequester): Promise<ResponseWithCookies<SessionShown>> {
    const { session } = sender.identity;
    if (session !== undefined && (await this.#parts.sessions.end(session.id))) {
      await this.#noted(authorOf(sender), `signed out of the console: session ${session.id}`);
    }
    return { body: this.#shown(undefined), cookies: removedCookies(sender.headers) };
  }

  /** Returns the browsers that are signed in. */
  async list({ identity }: Pick<SignInRequester, "identity">): Promise<ConsoleSessions> {
    const all = await this.#parts.sessions.all();
    return all.map(({ id, identity: of, provider, created, seen, expires }) => ({
      id,
      name: of.caller?.name,
      role: of.role,
      credential: of.credential ?? "",
      provider,
      created,
      seen,
      expires: new Date(expires).toISOString(),
      current: id === identity.session?.id,
    }));
  }

  /** Ends the session of a browser. @throws {AdminError} `NOT_FOUND` */
  async end(sender: SignInRequester, id: string): Promise<void> {
    const { sessions } = this.#parts;
    const found = (await sessions.all()).find((session) => session.id === id);
    if (!(await sessions.end(id))) throw new AdminError("NOT_FOUND", "No session has this id.");
    const name = found?.identity.caller?.name ?? found?.identity.credential;
    const whose = name === undefined ? "" : ` of ${name}`;
    await this.#noted(authorOf(sender), `ended a session of the console: session ${id}${whose}`);
  }

  /** Returns a code for a command that knows the secret in the data directory. */
  issueCode(given: unknown): { readonly code: string } {
    const { codes } = this.#parts;
    if (typeof given === "string" && sameSecret(given, codes.localSecret)) {
      return { code: codes.issue() };
    }
    throw new AdminError(
      "SIGN_IN_REFUSED",
      "Only a command of the user who runs the gateway may ask for a code.",
    );
  }

  #grantOf({ key, code }: { key?: string | undefined; code?: string | undefined }) {
    const { codes, config } = this.#parts;
    if (code !== undefined) return codes.use(code) ? operatorGrant(config()) : undefined;
    const found: SignInGrant | undefined = grantOf(config(), key ?? "");
    // The file may only contain the digest of the key. From then on, the key is redacted in names, log lines and
    // records.
    if (found !== undefined && key !== undefined) rememberKeySecrets({ api_key: key });
    const isToken = codes.isStartToken(key ?? "") && config().auth.adminKey === undefined;
    return found ?? (isToken ? operatorGrant(config()) : undefined);
  }

  #shown(identity: Identity | undefined): SessionShown {
    const { config, providers } = this.#parts;
    const { auth } = config();
    const shown = { providers: providers.shown() };
    if (identity?.session === undefined || identity.expiresAt === undefined) {
      const open = auth.apiKey === undefined && (auth.keys ?? []).length === 0 && !auth.jwt;
      return { signed_in: false, open, ...shown };
    }
    const { session, caller, role, credential = "", expiresAt } = identity;
    return {
      signed_in: true,
      id: session.id,
      name: caller?.name,
      role,
      credential,
      provider: session.provider,
      expires: new Date(expiresAt).toISOString(),
      ...shown,
    };
  }

  async #record(by: Author, reason: string): Promise<void> {
    this.#parts.log.info(reason, { by: authorText(by) });
    const entry = { type: "config_change", source: "http", reason } as const;
    await this.#parts.append([{ ...entry, ...authorFields(by) }]);
  }

  /** Records something that has already happened, as {@link #record} does. Never rejects. */
  async #noted(by: Author, reason: string): Promise<void> {
    await this.#record(by, reason).catch((error: unknown) => {
      const what = "a session of the console has ended, and that could not be recorded";
      this.#parts.log.error(what, { reason: messageOf(error) });
    });
  }
}

/** Throws if a person has the name of a caller with a key: records could not distinguish them. */
function refuseName({ name }: Person, { auth }: GatewayConfig): void {
  if (auth.keys?.some((key) => key.name === name) !== true) return;
  throw new AdminError(
    "SIGN_IN_FAILED",
    `The name ${JSON.stringify(name)} is that of a key of auth.keys. Let name_claim name a claim that is different for each person.`,
  );
}

function notFromConsole(): AdminError {
  return new AdminError(
    "SIGN_IN_REFUSED",
    "Only the console signs in here: the request must have the header X-Touchstone-Console: 1, and come from a page of this gateway. Other clients send their key with each request.",
  );
}

function tooMany(seconds: number): AdminError {
  return new AdminError(
    "TOO_MANY_ATTEMPTS",
    `Too many attempts to sign in have failed from this address. Wait ${seconds} s, then try again.`,
    { headers: { "retry-after": String(seconds) } },
  );
}

const CHALLENGE = { headers: { "www-authenticate": "Bearer" } };

function unknownKey(): AdminError {
  return new AdminError(
    "SIGN_IN_FAILED",
    "This gateway does not know the key. Check it, or run touchstone ui on the gateway's machine, which signs the browser in.",
    CHALLENGE,
  );
}

function unknownCode(): AdminError {
  return new AdminError(
    "SIGN_IN_FAILED",
    "This link has been used, or is older than 60 seconds. Run touchstone ui for a new one.",
    CHALLENGE,
  );
}

function noRole(): AdminError {
  return new AdminError(
    "SIGN_IN_FAILED",
    "You have no role here. Ask an administrator of this gateway for one.",
    CHALLENGE,
  );
}
