import { messageOf } from "@touchstone/core/advanced";
import { type Logger, lateImport } from "@touchstone/util";
import type { JSONWebKeySet, JWTPayload, JWTVerifyGetKey } from "jose";
import type { JwtSettings } from "../../config/config.ts";
import type { Caller } from "../../features/caller.ts";
import { ToolPatterns } from "../../features/tool-lists/decide.ts";
import { type Identity, isDisplayName, MAX_NAME } from "../../relay/http/identity.ts";
import type { AccessRefusal, TokenVerifier } from "./access.ts";
import { KeySet, KeySetError } from "./key-set.ts";

type Jose = typeof import("jose");

const loadJose = lateImport(() => import("jose"), { isRare: true });

/** Longest token to read, in characters: each is one byte. */
const MAX_TOKEN = 16_384;
/** The latest time that a Date can represent, in seconds. */
const MAX_TIME = 8.64e12;
/** Placeholder in `auth.jwt.audience` for the name of a server. */
export const SERVER_PLACEHOLDER = "{server}";

const NEXT = "Get a new access token from the issuer, and send it as a Bearer token.";

/** Why a token is refused. Names the claim, but never its value. */
class TokenError extends Error {
  readonly code: "TOKEN_INVALID" | "TOKEN_EXPIRED" | "TOKEN_TOO_LARGE";

  constructor(what: string, code: TokenError["code"] = "TOKEN_INVALID") {
    super(what);
    this.code = code;
  }
}

export interface TokensParts {
  /** The permissions of every token's caller; claims can narrow them. */
  readonly allowed: Identity;
  /** Names of callers with keys: a token with one of these names is refused. */
  readonly names: ReadonlySet<string>;
  readonly log: Logger;
}

/** The library that verifies signatures, loaded on first use. */
interface Keys {
  readonly jose: Jose;
  readonly key: JWTVerifyGetKey;
  readonly fetch: () => Promise<void>;
}

/**
 * Verifies access tokens: JSON Web Tokens (RFC 7519) that an authorization server signed for this gateway, an OAuth
 * 2.1 resource server (MCP 2025-11-25, Authorization; RFC 8725). Only the configured algorithms count; all are
 * asymmetric. Keys in a token's header (`jku`, `x5u`, `jwk`) are ignored. Claims can only narrow what the
 * configuration allows.
 */
export class Tokens implements TokenVerifier {
  readonly settings: JwtSettings;
  readonly #parts: TokensParts;
  #loading: Promise<Keys> | undefined;

  constructor(settings: JwtSettings, parts: TokensParts) {
    this.settings = settings;
    this.#parts = parts;
  }

  /** Fetches the issuer's keys before the first token comes. Logs a failure. Never rejects. */
  async prepare(): Promise<void> {
    try {
      await (await this.#keys()).fetch();
    } catch (error) {
      const reason = messageOf(error);
      this.#parts.log.warn("access tokens are refused until the issuer's keys can be fetched", {
        reason,
      });
    }
  }

  /** Returns who a token was issued for, or why it is refused. Never rejects. */
  async verify(token: string): Promise<Identity | AccessRefusal> {
    if (token.length > MAX_TOKEN) {
      return refusalOf(new TokenError(`it has over ${MAX_TOKEN} characters`, "TOKEN_TOO_LARGE"));
    }
    let jose: Jose | undefined;
    try {
      const keys = await this.#keys();
      jose = keys.jose;
      return this.#identity(await this.#claims(keys, token));
    } catch (error) {
      const known = error instanceof TokenError || error instanceof KeySetError;
      return refusalOf(known || jose === undefined ? error : this.#reason(jose, error));
    }
  }

  #keys(): Promise<Keys> {
    const { jwks, jwksUrl = "" } = this.settings;
    this.#loading ??= loadJose().then((jose) => {
      if (jwks === undefined) {
        const set = new KeySet(jose, new URL(jwksUrl));
        return { jose, key: set.key, fetch: () => set.fetch() };
      }
      const key = jose.createLocalJWKSet(jwks as unknown as JSONWebKeySet);
      return { jose, key, fetch: async () => {} };
    });
    return this.#loading;
  }

  async #claims({ jose, key }: Keys, token: string): Promise<JWTPayload> {
    const { algorithms, issuer, clockSkew } = this.settings;
    const { payload, protectedHeader } = await jose.jwtVerify(token, key, {
      algorithms: [...algorithms],
      issuer,
      clockTolerance: clockSkew,
      requiredClaims: ["exp", "aud"],
    });
    if (!isAccessTokenType(protectedHeader.typ)) {
      throw new TokenError("its type (typ) must be JWT or at+jwt, or absent");
    }
    const { iat = 0 } = payload;
    if (iat > Date.now() / 1000 + clockSkew)
      throw new TokenError("it is issued in the future (iat)");
    return payload;
  }

  #identity(claims: JWTPayload): Identity {
    const { clockSkew, serversClaim, toolsClaim } = this.settings;
    const { allowed } = this.#parts;
    const { exp = Number.POSITIVE_INFINITY } = claims;
    // A number beyond the range of dates, such as 1e999, would never be reached.
    if (exp > MAX_TIME) throw new TokenError("its time of expiry (exp) is not a date");
    const servers = serversClaim === undefined ? undefined : namesIn(claims, serversClaim);
    const tools = toolsClaim === undefined ? undefined : namesIn(claims, toolsClaim);
    return {
      ...allowed,
      caller: { name: this.#name(claims), ...narrowed(allowed.caller, tools) },
      servers: servers === undefined ? allowed.servers : common(servers, allowed.servers),
      audience: this.#audience(claims.aud),
      expiresAt: (exp + clockSkew) * 1000,
    };
  }

  #name(claims: JWTPayload): string {
    const { nameClaim } = this.settings;
    const name = Object.hasOwn(claims, nameClaim) ? claims[nameClaim] : undefined;
    if (!isDisplayName(name)) {
      throw new TokenError(
        `its claim ${nameClaim} is not a name of 1 to ${MAX_NAME} visible characters`,
      );
    }
    if (this.#parts.names.has(name)) {
      throw new TokenError(`its claim ${nameClaim} is the name of a caller that has a key`);
    }
    return name;
  }

  /** Returns the servers that a token is for; undefined if it is for all. Throws if it is for none. */
  #audience(aud: unknown): ReadonlySet<string> | undefined {
    const [before = "", after] = this.settings.audience.split(SERVER_PLACEHOLDER);
    const given = [aud].flat().filter((one): one is string => typeof one === "string");
    const isForAll = after === undefined && given.includes(before);
    if (isForAll) return undefined;
    const servers =
      after === undefined ? [] : given.flatMap((one) => serverIn(one, before, after) ?? []);
    if (servers.length === 0) throw otherAudience();
    return new Set(servers);
  }

  /** Returns what is wrong with a token, from the library's error. */
  #reason(jose: Jose, error: unknown): unknown {
    const { errors } = jose;
    if (error instanceof errors.JWTExpired) {
      return new TokenError("it has expired (exp)", "TOKEN_EXPIRED");
    }
    if (error instanceof errors.JWTClaimValidationFailed) {
      return new TokenError(claimReason(error.claim, error.reason));
    }
    if (error instanceof errors.JOSEAlgNotAllowed || error instanceof errors.JOSENotSupported) {
      const { algorithms } = this.settings;
      return new TokenError(`its algorithm (alg) must be ${algorithms.join(", ")}`);
    }
    if (error instanceof errors.JWSSignatureVerificationFailed) {
      return new TokenError("its signature is not one of the issuer's");
    }
    if (error instanceof errors.JWKSNoMatchingKey) {
      return new TokenError("its key (kid) is not one of the issuer's");
    }
    if (error instanceof errors.JWKSMultipleMatchingKeys) {
      return new TokenError("it names no key (kid), and the issuer has several");
    }
    const isMalformed = error instanceof errors.JWSInvalid || error instanceof errors.JWTInvalid;
    return isMalformed ? new TokenError("it is not a signed JSON Web Token") : error;
  }
}

/**
 * Returns whether a token of this type may be an access token: a logout token or a DPoP proof of the same issuer may
 * not (RFC 8725, section 3.11; RFC 9068, section 4). Media types ignore case, and may lack `application/` (RFC 7515,
 * section 4.1.9).
 */
function isAccessTokenType(typ: unknown): boolean {
  if (typ === undefined) return true;
  return typeof typ === "string" && /^(?:application\/)?(?:at\+)?jwt$/i.test(typ);
}

/** Returns the refusal of a token that is for another server. */
export function wrongAudienceRefusal(): AccessRefusal {
  return refusalOf(otherAudience());
}

function otherAudience(): TokenError {
  return new TokenError("it is for another audience (aud)");
}

function claimReason(claim: string, reason: string): string {
  if (reason === "missing") return `its claim ${claim} is missing`;
  if (claim === "nbf") return "it is not valid yet (nbf)";
  return claim === "iss" ? "it is from another issuer (iss)" : `its claim ${claim} is invalid`;
}

function refusalOf(error: unknown): AccessRefusal {
  if (error instanceof TokenError) {
    return {
      status: 401,
      code: error.code,
      message: `The access token is refused: ${error.message}. ${NEXT}`,
    };
  }
  // Only the log has the reason, because it may name parts of the operator's network.
  return {
    status: 503,
    code: "TOKEN_UNVERIFIABLE",
    message:
      "The access token cannot be verified, since the issuer's keys cannot be fetched or used. Try again later; the gateway's log says why.",
    reason: messageOf(error),
  };
}

/** Returns the server in an audience: the text between the two parts, percent-decoded. */
function serverIn(audience: string, before: string, after: string): string | undefined {
  const isLongEnough = audience.length > before.length + after.length;
  if (!isLongEnough || !audience.startsWith(before) || !audience.endsWith(after)) return undefined;
  const name = audience.slice(before.length, audience.length - after.length);
  try {
    // Only the canonical encoding of a name counts. Any other text names another audience.
    return encodeURIComponent(decodeURIComponent(name)) === name
      ? decodeURIComponent(name)
      : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns the names in a claim: an array of texts, or one text with spaces between names, like `scope` (RFC 8693).
 */
function namesIn(claims: JWTPayload, claim: string): readonly string[] {
  const value = Object.hasOwn(claims, claim) ? claims[claim] : undefined;
  if (typeof value === "string") return value.split(" ").filter((name) => name !== "");
  if (Array.isArray(value) && value.every((one) => typeof one === "string")) return value;
  if (value === undefined) throw new TokenError(`it has no claim ${claim}`);
  throw new TokenError(`its claim ${claim} is not a list of names`);
}

function common(
  servers: readonly string[],
  allowed: ReadonlySet<string> | undefined,
): ReadonlySet<string> {
  return new Set(servers.filter((server) => allowed?.has(server) !== false));
}

/**
 * Returns the policy of a caller, narrowed to the tools of a claim. A pattern in a claim counts only if the
 * configuration allows all tools or has the same pattern; otherwise it might match more than the configuration.
 */
function narrowed(
  allowed: Caller | undefined,
  tools: readonly string[] | undefined,
): Pick<Caller, "policy"> {
  const policy = allowed?.policy;
  if (tools === undefined) return policy === undefined ? {} : { policy };
  const configured = policy?.allowTools;
  const patterns = configured && new ToolPatterns(configured);
  const isAllowed = (tool: string): boolean =>
    configured === undefined ||
    configured.includes(tool) ||
    (!/[*?]/.test(tool) && patterns?.match(tool) !== undefined);
  return { policy: { ...policy, allowTools: tools.filter(isAllowed) } };
}
