import { messageOf } from "@touchstone/core/advanced";
import { type Logger, lateImport, tlsErrorText } from "@touchstone/util";
import type { ClientAuth, Configuration } from "openid-client";
import type { OidcSettings } from "../../../config/config.ts";
import {
  boundedFetch,
  checkAddress,
  isLoopbackUrl,
  ResponseRefusedError,
} from "./bounded-fetch.ts";
import { type Claims, hasTooManyGroups, isComplete } from "./claims.ts";
import { OidcError, shownText } from "./refusal.ts";

type Library = typeof import("openid-client");

/** Without `auth.oidc`, a gateway does not load this library. */
const loadLibrary = lateImport(() => import("openid-client"), { isRare: true });

/** How long a request to a provider may take, in seconds. */
const TIMEOUT_S = 5;
/** How long a provider's metadata is cached. */
const FRESH_MS = 3_600_000;
/** After a failure, how long to wait before the next request for the metadata. */
const RETRY_MS = 5_000;

/** What a browser keeps from the start of a sign-in to its end. */
export interface PendingSignIn {
  readonly state: string;
  readonly nonce: string;
  /** The code verifier of PKCE (RFC 7636). */
  readonly verifier: string;
}

interface Known {
  readonly library: Library;
  readonly configuration: Configuration;
  readonly at: number;
}

/** A person whom a provider has identified: the issuer, and the person's claims. */
export interface IdentifiedPerson {
  readonly issuer: string;
  readonly claims: Claims;
}

/**
 * An identity provider, as a relying party sees it (OpenID Connect Core 1.0): authorization code with PKCE. Fetches the
 * metadata with the first sign-in (OpenID Connect Discovery 1.0), and keeps it for an hour.
 */
export class Provider {
  readonly settings: OidcSettings;
  readonly #log: Logger;
  readonly #now: () => number;
  #known: Known | undefined;
  #finding: Promise<Known> | undefined;
  #failed: { readonly at: number; readonly error: OidcError } | undefined;

  /** @param now a monotonic clock, in milliseconds */
  constructor(settings: OidcSettings, log: Logger, now: () => number = () => performance.now()) {
    this.settings = settings;
    this.#log = log;
    this.#now = now;
  }

  /**
   * Returns the checks of a new sign-in, and the URL at the provider to which it sends the browser.
   * @throws {OidcError} `OIDC_UNREACHABLE`
   */
  async begin(redirectUri: string): Promise<{ readonly checks: PendingSignIn; readonly url: URL }> {
    const { library, configuration } = await this.#metadata();
    const checks = {
      state: library.randomState(),
      nonce: library.randomNonce(),
      verifier: library.randomPKCECodeVerifier(),
    };
    const url = library.buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      scope: this.settings.scopes.join(" "),
      state: checks.state,
      nonce: checks.nonce,
      code_challenge: await library.calculatePKCECodeChallenge(checks.verifier),
      code_challenge_method: "S256",
    });
    return { checks, url };
  }

  /**
   * Exchanges the code of a response for an ID token, and verifies both: `state` and `iss` of the response (RFC 9207),
   * signature, issuer, audience, times and `nonce` of the token. Asks the UserInfo endpoint if the token lacks a claim.
   * @param response the redirect URI with the provider's parameters
   * @throws {OidcError}
   */
  async finish(
    response: URL,
    { state, nonce, verifier }: PendingSignIn,
  ): Promise<IdentifiedPerson> {
    const { library, configuration } = await this.#metadata();
    try {
      const tokens = await library.authorizationCodeGrant(configuration, response, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      });
      const ofToken: Claims = tokens.claims() ?? {};
      // The library checks it only if the token is for several clients.
      const { azp = this.settings.clientId } = ofToken;
      if (azp !== this.settings.clientId) {
        throw this.#untrusted("the ID token was issued to another client (azp)");
      }
      const { issuer, userinfo_endpoint: endpoint } = configuration.serverMetadata();
      const isEnough =
        endpoint === undefined ||
        isComplete(ofToken, this.settings) ||
        hasTooManyGroups(ofToken, this.settings.roleClaim);
      if (isEnough) return { issuer, claims: ofToken };
      const { access_token: token } = tokens;
      const info = await library.fetchUserInfo(configuration, token, String(ofToken["sub"]));
      // The claims of the token win: only the token is signed for this client.
      return { issuer, claims: { ...info, ...ofToken } };
    } catch (error) {
      throw this.#refusal(library, error);
    }
  }

  /**
   * Returns the URL that ends the browser's session at the provider (OpenID Connect RP-Initiated Logout 1.0); undefined
   * if the provider has none.
   * @throws {OidcError} `OIDC_UNREACHABLE`
   */
  async endSession(returnTo: string): Promise<URL | undefined> {
    const { library, configuration } = await this.#metadata();
    if (configuration.serverMetadata().end_session_endpoint === undefined) return undefined;
    return library.buildEndSessionUrl(configuration, { post_logout_redirect_uri: returnTo });
  }

  async #metadata(): Promise<Known> {
    const known = this.#known;
    if (known !== undefined && this.#now() - known.at < FRESH_MS) return known;
    const failed = this.#failed;
    if (failed !== undefined && this.#now() - failed.at < RETRY_MS) throw failed.error;
    this.#finding ??= this.#discover().finally(() => {
      this.#finding = undefined;
    });
    return this.#finding;
  }

  async #discover(): Promise<Known> {
    const library = await loadLibrary();
    const { issuer, clientId, clientSecret, clockSkew } = this.settings;
    try {
      const found = await library.discovery(
        new URL(issuer),
        clientId,
        { [library.clockTolerance]: clockSkew },
        // The authentication method depends on the metadata.
        library.None(),
        {
          timeout: TIMEOUT_S,
          [library.customFetch]: boundedFetch(issuer),
          execute: isLoopbackUrl(issuer) ? [library.allowInsecureRequests] : [],
        },
      );
      const metadata = found.serverMetadata();
      // For some providers, the library accepts another issuer.
      if (new URL(metadata.issuer).href !== new URL(issuer).href) {
        throw new ResponseRefusedError(
          `its metadata names another issuer: write ${shownText(metadata.issuer)} if that is the one that you mean`,
        );
      }
      for (const name of ["authorization_endpoint", "token_endpoint", "jwks_uri"] as const) {
        checkAddress(issuer, name, metadata[name]);
      }
      for (const name of ["userinfo_endpoint", "end_session_endpoint"] as const) {
        if (metadata[name] !== undefined) checkAddress(issuer, name, metadata[name]);
      }
      const configuration = new library.Configuration(
        metadata,
        clientId,
        { [library.clockTolerance]: clockSkew },
        this.#authMethod(library, metadata.token_endpoint_auth_methods_supported, clientSecret),
      );
      configuration.timeout = TIMEOUT_S;
      configuration[library.customFetch] = boundedFetch(issuer);
      if (isLoopbackUrl(issuer)) library.allowInsecureRequests(configuration);
      // Without this, the library would not verify the signature of a token that it received over an encrypted
      // connection.
      library.enableNonRepudiationChecks(configuration);
      this.#failed = undefined;
      this.#known = { library, configuration, at: this.#now() };
      return this.#known;
    } catch (thrown) {
      const error = this.#unreachable(thrown);
      this.#failed = { at: this.#now(), error };
      const { name } = this.settings;
      this.#log.warn("an identity provider cannot be used", {
        provider: name,
        reason: error.reason,
      });
      throw error;
    }
  }

  #authMethod(
    { ClientSecretBasic, ClientSecretPost }: Library,
    supported: readonly string[] | undefined,
    secret: string,
  ): ClientAuth {
    const { authMethod } = this.settings;
    const isPost =
      authMethod === undefined
        ? supported?.includes("client_secret_basic") === false &&
          supported.includes("client_secret_post")
        : authMethod === "client_secret_post";
    return isPost ? ClientSecretPost(secret) : ClientSecretBasic(secret);
  }

  #unreachable(thrown: unknown): OidcError {
    const message = `${this.settings.label} cannot be reached, or its response cannot be used, so it cannot sign you in. Try again later, or sign in with a key. The gateway's log says why.`;
    return new OidcError("OIDC_UNREACHABLE", message, reasonOf(thrown));
  }

  /** Returns why a response of the provider is refused. */
  #refusal(library: Library, error: unknown): OidcError {
    const { label } = this.settings;
    if (error instanceof OidcError) return error;
    if (error instanceof library.AuthorizationResponseError) {
      const { error: code, error_description: description = "" } = error;
      const why = `${shownText(code)}${description === "" ? "" : `: ${shownText(description)}`}`;
      const message = `${label} did not sign you in (${why}). Try again, or ask the operator of the provider.`;
      return new OidcError("OIDC_DENIED", message, why);
    }
    if (
      error instanceof library.ResponseBodyError ||
      error instanceof library.WWWAuthenticateChallengeError
    ) {
      const code = error instanceof library.ResponseBodyError ? shownText(error.error) : "HTTP 401";
      const message = `${label} refused to finish the sign-in (${code}). Sign in again. If it fails again, ask the operator to compare client_id, client_secret and redirect_uri of auth.oidc with the provider's.`;
      return new OidcError("OIDC_CODE_REFUSED", message, code);
    }
    if (error instanceof library.ClientError && !isOutage(error)) {
      return this.#untrusted(reasonOf(error));
    }
    return this.#unreachable(error);
  }

  #untrusted(reason: string): OidcError {
    const message = `The response of ${this.settings.label} cannot be trusted, so nobody is signed in. Sign in again. The gateway's log says what is wrong.`;
    return new OidcError("OIDC_RESPONSE_INVALID", message, reason);
  }
}

/** The library's codes for failures that say nothing about the person. */
const OUTAGES = ["OAUTH_TIMEOUT", "OAUTH_ABORT", "OAUTH_RESPONSE_IS_NOT_CONFORM"];

function isOutage({ code, cause }: { readonly code?: unknown; readonly cause?: unknown }): boolean {
  return OUTAGES.includes(String(code)) || cause instanceof ResponseRefusedError;
}

/** Returns why something failed, without a response's content: that may be a token. */
function reasonOf(thrown: unknown): string {
  const error = thrown instanceof Error ? thrown : new Error("unknown error");
  const { cause } = error;
  if (error instanceof ResponseRefusedError) return error.message;
  if (cause instanceof ResponseRefusedError) return cause.message;
  // The error of `fetch` is unspecific; its cause has the reason.
  if (error instanceof TypeError) return tlsErrorText(cause) ?? messageOf(cause ?? error);
  const code = (error as { readonly code?: unknown }).code;
  const claim = claimOf(cause);
  return `${error.message}${claim === undefined ? "" : ` (${claim})`}${typeof code === "string" ? ` (${code})` : ""}`;
}

/** Returns the claim, attribute or reason that the library names; never its value. */
function claimOf(error: unknown): string | undefined {
  const inner = (error as { readonly cause?: unknown } | undefined)?.cause;
  const { claim, attribute } = Object(inner ?? {}) as Record<string, unknown>;
  const name = [claim, attribute].find((one) => typeof one === "string");
  const message = error instanceof Error ? error.message : undefined;
  return typeof name === "string" ? name : message;
}
