import { isDeepStrictEqual } from "node:util";
import { BoundedMap, type Logger, parseUrl } from "@touchstone/util";
import { hashOfKey } from "../../../config/callers.ts";
import type { GatewayConfig, OidcSettings } from "../../../config/config.ts";
import { AdminError } from "../../admin/errors.ts";
import type { Person, PersonRights, Providers } from "../providers.ts";
import type { SignInMethod, SignInRequester } from "../sign-in.ts";
import { groupsIn, hasTooManyGroups, nameIn, subjectIn } from "./claims.ts";
import { type CookieScope, cookieHeader, cookieIn } from "./cookies.ts";
import { type IdentifiedPerson, Provider } from "./provider.ts";
import { type Address, consoleUrl, hashRoute, isOtherLoopback, redirectUri } from "./redirect.ts";
import { OIDC_ERRORS, OidcError, type OidcErrorCode } from "./refusal.ts";
import { noRole, roleOf, tooManyGroups } from "./roles.ts";
import { CookieSealer } from "./sealed.ts";

/** How long a sign-in may take from its start to its end. */
const FLOW_SECONDS = 600;
/** How long the page can show why a sign-in failed. */
const REFUSAL_SECONDS = 120;
/**
 * How many finished sign-ins to remember, so that each is accepted once by this gateway. The provider accepts each
 * code only once in any case.
 */
const MAX_USED = 10_000;

const FLOW = "sign_in";
const REFUSAL = "sign_in_refusal";

/** A request of a browser to one provider's pages. */
export interface OidcRequest {
  /** The provider's name in the path. */
  readonly provider: string;
  /** The query of the target, with its question mark; empty if it has none. */
  readonly search: string;
  readonly sender: SignInRequester;
}

export interface OidcParts {
  /** The configuration in force. */
  readonly config: () => GatewayConfig;
  /** Where the gateway listens. */
  readonly address: () => Address;
  /** Returns the ID of the session that a browser has. */
  readonly sessionIdOf: (headers: SignInRequester["headers"]) => Promise<string | undefined>;
  /**
   * Begins a session.
   * @returns the `Set-Cookie` headers that sign the browser in
   */
  readonly signIn: (
    person: Person,
    sender: SignInRequester,
    how: SignInMethod,
  ) => Promise<readonly string[]>;
  /** Logs and records a rejection, unless there were many recently. */
  readonly rejected: (what: string) => void;
  readonly log: Logger;
}

/** Why a sign-in failed, for the page. */
export interface SignInRefusal {
  readonly code: OidcErrorCode;
  readonly message: string;
}

/** A provider and what is known of it, kept as long as its settings stay the same. */
interface Kept {
  readonly provider: Provider;
  readonly sealer: CookieSealer;
}

/** Signs people in to the console by the identity providers of `auth.oidc`. */
export class Oidc implements Providers {
  readonly log: Logger;
  readonly #parts: OidcParts;
  readonly #kept = new Map<string, Kept>();
  readonly #used = new BoundedMap<string, true>(MAX_USED);

  constructor(parts: OidcParts) {
    this.log = parts.log;
    this.#parts = parts;
  }

  shown(): readonly { readonly name: string; readonly label: string }[] {
    return this.#settings.map(({ name, label }) => ({ name, label }));
  }

  /** Returns what a person may do according to the groups that have a role now; undefined if nothing. */
  rightsOf({ provider, issuer, groups }: Person): PersonRights | undefined {
    const settings = this.#settings.find(({ name }) => name === provider);
    // Another issuer under the same name is another provider, whose groups have another meaning.
    if (settings === undefined || !isIssuer(settings, issuer)) return undefined;
    const role = roleOf(groups, settings);
    if (role === undefined) return undefined;
    return { role, secret: hashOfKey(settings.clientSecret) };
  }

  /** Sends a browser to the provider. */
  async begin({ provider: name, search, sender }: OidcRequest): Promise<Response> {
    const { settings, provider, sealer, uri, scope } = this.#at(name);
    const returnTo = hashRoute(new URLSearchParams(search).get("return_to") ?? undefined);
    if (isOtherLoopback(sender.headers.host, uri)) {
      const own = `${consoleUrl(settings, uri)}api/v1/sign-in/oidc/${name}`;
      return redirect(`${own}?return_to=${encodeURIComponent(returnTo)}`, []);
    }
    try {
      const { checks, url } = await provider.begin(uri);
      // The browser comes back from another site, so its request then lacks the session's cookie.
      const before = (await this.#parts.sessionIdOf(sender.headers)) ?? "";
      const flow = await sealer.seal(FLOW, { ...checks, returnTo, before }, FLOW_SECONDS);
      return redirect(url.href, [cookieHeader(FLOW, flow, FLOW_SECONDS, scope)]);
    } catch (error) {
      return this.#refused(name, error);
    }
  }

  /** Handles a provider's response, and signs the person in. */
  async finish({ provider: name, search, sender }: OidcRequest): Promise<Response> {
    const { settings, provider, sealer, uri, scope } = this.#at(name);
    // A response to another sign-in does not end this one: any page can send a browser to such an address.
    let done: readonly string[] = [];
    try {
      const flow = await this.#flow(sealer, cookieIn(sender.headers, FLOW, scope), search);
      done = [cookieHeader(FLOW, "", 0, scope)];
      const response = new URL(uri);
      response.search = search;
      const person = this.#person(settings, await provider.finish(response, flow));
      const before = flow.before === "" ? undefined : flow.before;
      const signedIn = await this.#parts.signIn(person, sender, { secure: scope.secure, before });
      return redirect(consoleUrl(settings, uri) + hashRoute(flow.returnTo), [...done, ...signedIn]);
    } catch (error) {
      return this.#refused(name, error, done);
    }
  }

  /**
   * Returns why the last sign-in of this browser failed.
   * @throws {AdminError} `NOT_FOUND` if none failed in the last two minutes
   */
  async refusal({ provider: name, sender }: Omit<OidcRequest, "search">): Promise<SignInRefusal> {
    const { sealer, scope } = this.#at(name);
    const { code, message } =
      (await sealer.open(REFUSAL, cookieIn(sender.headers, REFUSAL, scope) ?? "")) ?? {};
    const isOne = typeof code === "string" && Object.hasOwn(OIDC_ERRORS, code);
    if (isOne && typeof message === "string") return { code: code as OidcErrorCode, message };
    throw new AdminError("NOT_FOUND", "No sign-in of this browser has failed lately.");
  }

  /**
   * Sends a browser to the page at which the provider ends its own session, or to the sign-in page if there is none.
   */
  async signOut({ provider: name }: Pick<OidcRequest, "provider">): Promise<Response> {
    const { settings, provider, uri } = this.#at(name);
    const page = consoleUrl(settings, uri);
    try {
      return redirect((await provider.endSession(page))?.href ?? `${page}#/sign-in`, []);
    } catch (error) {
      return this.#refused(name, error);
    }
  }

  get #settings(): readonly OidcSettings[] {
    return this.#parts.config().auth.oidc ?? [];
  }

  #at(
    name: string,
  ): Kept & { readonly settings: OidcSettings; readonly uri: string; readonly scope: CookieScope } {
    const settings = this.#settings.find((one) => one.name === name);
    if (settings === undefined) {
      const message =
        "No identity provider has this name. Open the console, and choose one of its sign-in page.";
      throw new AdminError("NOT_FOUND", message);
    }
    let kept = this.#kept.get(name);
    if (kept === undefined || !isDeepStrictEqual(kept.provider.settings, settings)) {
      kept = { provider: new Provider(settings, this.log), sealer: new CookieSealer(settings) };
      this.#kept.set(name, kept);
    }
    const uri = redirectUri(settings, this.#parts.address());
    const { protocol, port } = new URL(uri);
    return { settings, ...kept, uri, scope: { secure: protocol === "https:", port } };
  }

  /** Returns the data that the browser keeps for its sign-in, if the response belongs to it. */
  async #flow(
    sealer: CookieSealer,
    cookie: string | undefined,
    search: string,
  ): Promise<{
    readonly state: string;
    readonly nonce: string;
    readonly verifier: string;
    readonly returnTo: string;
    readonly before: string;
  }> {
    const kept = cookie === undefined ? undefined : await sealer.open(FLOW, cookie);
    const { state, nonce, verifier, returnTo, before } = kept ?? {};
    const texts = { state, nonce, verifier, returnTo, before };
    const isWhole = Object.values(texts).every((text) => typeof text === "string");
    const given = new URLSearchParams(search).getAll("state");
    if (!isWhole || given.length !== 1 || given[0] !== state || this.#used.has(String(state))) {
      throw new OidcError(
        "OIDC_NOT_STARTED",
        NOT_STARTED,
        kept === undefined ? "no cookie of a sign-in" : "another or a used state",
      );
    }
    this.#used.set(String(state), true);
    return texts as Record<keyof typeof texts, string>;
  }

  #person(settings: OidcSettings, { issuer, claims }: IdentifiedPerson): Person {
    const groups = groupsIn(claims, settings);
    if (groups === undefined && hasTooManyGroups(claims, settings.roleClaim)) {
      throw tooManyGroups(settings);
    }
    if (roleOf(groups ?? [], settings) === undefined) throw noRole(groups, settings);
    const name = nameIn(claims, settings);
    return {
      provider: settings.name,
      issuer,
      subject: subjectIn(claims),
      name,
      groups: groups ?? [],
    };
  }

  /** Sends a browser to the sign-in page, which then requests the reason. */
  async #refused(name: string, error: unknown, cookies: readonly string[] = []): Promise<Response> {
    const { code, message, reason } = refusalOf(error);
    const { settings, sealer, uri, scope } = this.#at(name);
    const why = reason === undefined ? code : `${code}, ${reason}`;
    this.log.debug("a person was not signed in", { provider: name, code, reason });
    this.#parts.rejected(`a sign-in to the console by ${name} was rejected: ${why}`);
    const refusal = await sealer.seal(REFUSAL, { code, message }, REFUSAL_SECONDS);
    const query = new URLSearchParams({ error: code, provider: name });
    return redirect(`${consoleUrl(settings, uri)}#/sign-in?${query}`, [
      ...cookies,
      cookieHeader(REFUSAL, refusal, REFUSAL_SECONDS, scope),
    ]);
  }
}

/** Returns why a sign-in failed; rethrows an error that is not a refusal. */
function refusalOf(error: unknown): OidcError {
  if (error instanceof OidcError) return error;
  // The person has the same name as a caller with a key.
  if (error instanceof AdminError && error.code === "SIGN_IN_FAILED") {
    return new OidcError("OIDC_NO_NAME", error.message);
  }
  throw error;
}

const NOT_STARTED =
  "This browser has no sign-in in progress: it began in another browser, over 10 minutes ago, or was finished already. Sign in again from here.";

function isIssuer({ issuer }: OidcSettings, given: string): boolean {
  return given === issuer || parseUrl(given)?.href === new URL(issuer).href;
}

/** Returns a redirect that caches do not keep and whose address other sites do not see. */
function redirect(location: string, cookies: readonly string[]): Response {
  const headers = new Headers({
    location,
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
  });
  for (const cookie of cookies) headers.append("set-cookie", cookie);
  return new Response(null, { status: 302, headers });
}
