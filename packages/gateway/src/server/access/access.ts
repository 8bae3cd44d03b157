import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { isLoopbackHost, parseUrl } from "@touchstone/util";
import type { JwtSettings } from "../../config/config.ts";
import { type Identity, OPEN_IDENTITY, setIdentity } from "../../relay/http/identity.ts";

export interface AccessRules {
  /** `Host` values accepted besides loopback names, with or without a port. */
  readonly allowedHosts: readonly string[];
  /** `Origin` values accepted besides loopback origins. */
  readonly allowedOrigins: readonly string[];
  /** Request headers that pages at these origins may send, besides those that the gateway reads. */
  readonly allowedHeaders?: readonly string[];
  readonly apiKey?: string;
  /**
   * Returns the kind of operator key that a key is: the admin key, or a token from the data directory or for the code
   * of a link. Undefined if it is not an operator key.
   */
  readonly operatorKey?: (key: string) => string | undefined;
  /** The keys of callers. */
  readonly keys?: readonly KeyRule[];
  /** Verifies access tokens; absent if there are none. */
  readonly tokens?: TokenVerifier | undefined;
}

/** Verifies access tokens. */
export interface TokenVerifier {
  readonly settings: JwtSettings;
  /** Returns who a token was issued for, or why it is refused. Never rejects. */
  verify(token: string): Promise<Identity | AccessRefusal>;
}

/** A key of a caller. */
export interface KeyRule {
  /** SHA-256 of the key. */
  readonly digest: Uint8Array;
  readonly identity: Identity;
  /** Called with the key whenever a request has it: until the first such request, only the digest may be known. */
  readonly seen?: (key: string) => void;
}

/** The header that the console sends with each request. A page of another origin would need a preflight to send it. */
export const CONSOLE_HEADER = "x-touchstone-console";

/** Why a request is refused before it is read. */
export const ACCESS_ERRORS = {
  API_KEY_REQUIRED: [401, "The API key is missing or wrong"],
  TOKEN_MISSING: [401, "The request has neither an access token nor a key"],
  TOKEN_INVALID: [401, "The access token is for another gateway, or another issuer signed it"],
  TOKEN_EXPIRED: [401, "The access token has expired"],
  TOKEN_TOO_LARGE: [401, "The access token is larger than 16 KiB"],
  TOKEN_UNVERIFIABLE: [
    503,
    "The gateway cannot fetch the issuer's keys, so it accepts no access token",
  ],
  SESSION_UNREADABLE: [503, "The store of the console's sessions does not respond"],
  HOST_NOT_ALLOWED: [403, "The `Host` header is not allowed here"],
  ORIGIN_NOT_ALLOWED: [
    403,
    "The `Origin` header is not allowed here, or a page of another site sent none",
  ],
  NOT_FOUND: [404, "Nothing is served at this path"],
  STOPPING: [
    503,
    "The gateway is ending, or now listens at another address, and accepts no changes here",
  ],
} as const;

export type AccessErrorCode = keyof typeof ACCESS_ERRORS;

/** The refusal of a request before it is read. */
export interface AccessRefusal {
  readonly status: 401 | 403 | 503;
  readonly code: AccessErrorCode;
  readonly message: string;
  /** Further details for the log. */
  readonly reason?: string;
}

function hostname(authority: string): string {
  return authority.toLowerCase().replace(/:\d+$/, "");
}

function hostAllowed(host: string | undefined, rules: AccessRules): boolean {
  if (host === undefined) return false;
  if (isLoopbackHost(hostname(host))) return true;
  const lower = host.toLowerCase();
  return rules.allowedHosts.some((allowed) => {
    const name = allowed.toLowerCase();
    return name === lower || name === hostname(lower);
  });
}

/** Returns whether an origin is a configured one. */
function isListedOrigin(origin: string, { allowedOrigins }: AccessRules): boolean {
  return allowedOrigins.some((allowed) => allowed.toLowerCase() === origin.toLowerCase());
}

function originAllowed(origin: string, rules: AccessRules): boolean {
  if (isListedOrigin(origin, rules)) return true;
  const url = parseUrl(origin);
  return url !== undefined && isLoopbackHost(url.hostname);
}

/**
 * Returns whether a page of a disallowed site made a browser send this request: as an image, a frame, or a `fetch`
 * whose response the page cannot read, but which would still start servers and read records (W3C Fetch Metadata).
 * Following a link from such a page is the operator's own action, so it is allowed.
 */
function isSentUnnamed(headers: IncomingHttpHeaders): boolean {
  if (headers["sec-fetch-site"] !== "cross-site" || headers.origin !== undefined) return false;
  return headers["sec-fetch-mode"] !== "navigate" || headers["sec-fetch-dest"] !== "document";
}

const digestOf = (text: string): Buffer => createHash("sha256").update(text).digest();

/** Comparing digests takes the same time, whatever the lengths and however many bytes agree. */
export function sameSecret(given: string, expected: string): boolean {
  return timingSafeEqual(digestOf(given), digestOf(expected));
}

/** Returns the key that a request carries: `X-API-Key`, or else a Bearer token (RFC 6750, section 2.1). */
export function keyOfRequest(headers: IncomingHttpHeaders): string | undefined {
  const key = headers["x-api-key"];
  if (typeof key === "string") return key;
  return bearerToken(headers.authorization ?? "");
}

/**
 * Returns whether the `Authorization` header contains a key of the gateway, which no server may see: also in another
 * scheme, and in any of several values on several lines.
 */
export function carriesGatewayKey(authorization: string | undefined, rules: AccessRules): boolean {
  const words = (authorization ?? "").split(/[\s,]+/, MAX_WORDS);
  return words.some((word) => word !== "" && identityBy(word, rules) !== undefined);
}

/** How many words of one header to check; a header has at most 16 KiB. */
const MAX_WORDS = 16_384;

/**
 * Returns the owner of a key; undefined if the key is unknown. Takes the same time for every key, however many
 * characters are right.
 */
function identityBy(key: string, rules: AccessRules): Identity | undefined {
  const { apiKey, operatorKey, keys = [] } = rules;
  const digest = digestOf(key);
  let found: Identity | undefined;
  for (const rule of keys) {
    if (!timingSafeEqual(rule.digest, digest)) continue;
    found = rule.identity;
    rule.seen?.(key);
  }
  const common = { isBound: tellsCallers(rules), takesTokens: rules.tokens !== undefined };
  if (apiKey !== undefined && sameSecret(key, apiKey)) {
    found ??= { role: "caller", credential: "auth.api_key", ...common };
  }
  const credential = operatorKey?.(key);
  if (credential !== undefined) found ??= { role: "admin", credential, ...common };
  return found;
}

/** Returns whether callers are told apart. */
function tellsCallers({ keys = [], tokens }: AccessRules): boolean {
  return keys.length > 0 || tokens !== undefined;
}

/** Returns the sender of a request; undefined if it must send a key and does not. */
export function identify(headers: IncomingHttpHeaders, rules: AccessRules): Identity | undefined {
  const key = keyOfRequest(headers);
  const found = key === undefined ? undefined : identityBy(key, rules);
  if (found !== undefined) return found;
  return rules.apiKey === undefined && !tellsCallers(rules) ? OPEN_IDENTITY : undefined;
}

function bearerToken(authorization: string): string | undefined {
  return /^Bearer +(\S+)$/i.exec(authorization)?.[1];
}

/**
 * Decides whether a request may be read at all, whoever sends it: by `Host` and `Origin`, against DNS rebinding (MCP
 * 2025-11-25, Transports, Security Warning) and pages of other sites.
 */
function refuseSite(headers: IncomingHttpHeaders, rules: AccessRules): AccessRefusal | undefined {
  if (!hostAllowed(headers.host, rules)) {
    return {
      status: 403,
      code: "HOST_NOT_ALLOWED",
      message:
        "Host is not allowed. Add it to listen.allowed_hosts if clients reach this gateway by that name.",
    };
  }
  const { origin } = headers;
  if (origin !== undefined && !originAllowed(origin, rules)) {
    return {
      status: 403,
      code: "ORIGIN_NOT_ALLOWED",
      message:
        "Origin is not allowed. Add it to listen.allowed_origins if pages from there may call this gateway.",
    };
  }
  if (isSentUnnamed(headers)) {
    return {
      status: 403,
      code: "ORIGIN_NOT_ALLOWED",
      message:
        "A page of another site must send its origin. Open this address directly, or let the page ask by fetch, from an origin in listen.allowed_origins.",
    };
  }
  return undefined;
}

const KEY_REQUIRED: AccessRefusal = {
  status: 401,
  code: "API_KEY_REQUIRED",
  message: "An API key is required: send it as X-API-Key or as a Bearer token.",
};

/** Decides whether a request may be read: by `Host` and `Origin`, then by its key if one is required. */
export function accessRefusal(
  headers: IncomingHttpHeaders,
  rules: AccessRules,
): AccessRefusal | undefined {
  const refusal = refuseSite(headers, rules);
  if (refusal !== undefined) return refusal;
  return identify(headers, rules) === undefined ? KEY_REQUIRED : undefined;
}

/**
 * Methods that pages may use. `PATCH`, which changes settings, is only for the console, which has the gateway's own
 * origin.
 */
const METHODS = "GET, POST, DELETE";
/**
 * Request headers of MCP's Streamable HTTP, the headers that carry the API key, and those that tracing in a browser adds
 * to every request (W3C Trace Context).
 */
const HEADERS: readonly string[] = [
  "content-type",
  "accept",
  "authorization",
  "x-api-key",
  "mcp-session-id",
  "mcp-protocol-version",
  "last-event-id",
  "mcp-method",
  "mcp-name",
  "traceparent",
  "tracestate",
];
/** Headers with arguments of a tool (MCP 2026-07-28). Tools name them. */
const PARAM_HEADER = /^mcp-param-[!#$%&'*+.^_`|~0-9a-z-]+$/;
const EXPOSED = "Mcp-Session-Id, WWW-Authenticate, Retry-After";
/** How long a browser may skip the preflight. Short, so that a change of the origins takes effect soon. */
const MAX_AGE_SECONDS = "600";

/**
 * Lets pages at the origins of `listen.allowed_origins` read responses (Fetch Standard, HTTP CORS protocol). Answers
 * their preflights, which carry no key, with nothing else. Loopback origins are not allowed implicitly: a port of
 * this machine may serve pages that others wrote. Credentials are not allowed: the key is a header, and cookies count
 * for the console only, which has the gateway's own origin.
 *
 * Sets headers to which the later response adds.
 * @returns true if the request was a preflight and is answered
 */
function answerCors(
  { method, headers }: IncomingMessage,
  response: ServerResponse,
  access: AccessRules,
): boolean {
  if (access.allowedOrigins.length === 0) return false;
  response.setHeader("vary", "Origin");
  const { origin } = headers;
  if (origin === undefined || !isListedOrigin(origin, access)) return false;
  response.setHeader("access-control-allow-origin", origin);
  const asks = headers["access-control-request-method"] !== undefined;
  if (method !== "OPTIONS" || !asks) {
    response.setHeader("access-control-expose-headers", EXPOSED);
    return false;
  }
  const asked = headers["access-control-request-headers"] ?? "";
  response
    .writeHead(204, {
      "access-control-allow-methods": METHODS,
      "access-control-allow-headers": [
        ...HEADERS,
        ...configuredHeaders(access),
        ...paramHeaders(asked),
      ].join(", "),
      "access-control-max-age": MAX_AGE_SECONDS,
    })
    .end();
  return true;
}

/** Returns the headers that the configuration allows, without the one that only the console may send. */
function configuredHeaders({ allowedHeaders = [] }: AccessRules): readonly string[] {
  return allowedHeaders.filter((name) => name.toLowerCase() !== CONSOLE_HEADER);
}

function paramHeaders(asked: string): string[] {
  const names = asked.split(",").map((name) => name.trim().toLowerCase());
  return names.filter((name) => PARAM_HEADER.test(name));
}

/** Identifies the console's own requests by the cookie of a session. */
export interface SessionReader {
  /** Returns the session that a request's cookie names; undefined if there is no valid one. Never rejects. */
  sessionOf(
    headers: IncomingHttpHeaders,
  ): Promise<{ readonly value: string; readonly identity: Identity } | AccessRefusal | undefined>;
  /** Breaks a response off when its session ends. */
  follow(response: ServerResponse, value: string): void;
}

/** The sender. */
export interface Admission {
  /** Whether the request is answered: it was the preflight of an allowed page. */
  readonly answered: boolean;
  /** Why the request may not be read; undefined if it may. */
  readonly refusal: AccessRefusal | undefined;
}

/**
 * Decides whether a request may be read, by `Host`, `Origin`, the key or access token, and CORS. Everything that
 * serves HTTP calls it first, for MCP and for all other paths. Sets headers to which the later response adds.
 * @param sessions where cookies count as well; a request with a key or token is never identified by its cookie
 */
export async function admitRequest(
  request: IncomingMessage,
  response: ServerResponse,
  rules: AccessRules,
  sessions?: SessionReader,
): Promise<Admission> {
  const site = refuseSite(request.headers, rules);
  // A page without the key must be able to read the refusal.
  const answered = site?.status !== 403 && answerCors(request, response, rules);
  if (site !== undefined || answered) return { answered, refusal: site };
  const noted = (found: Identity | AccessRefusal): Admission => {
    if ("code" in found) return { answered: false, refusal: found };
    setIdentity(request, found);
    // For a session, the end of the session ends the response.
    if (found.session === undefined) endWithToken(response, found);
    return { answered: false, refusal: undefined };
  };
  const hasKey = ["x-api-key", "authorization"].some((name) => name in request.headers);
  const session = hasKey ? undefined : await sessions?.sessionOf(request.headers);
  if (session !== undefined) {
    if ("code" in session) return noted(session);
    sessions?.follow(response, session.value);
    return noted(session.identity);
  }
  const identity = identify(request.headers, rules);
  if (identity !== undefined) return noted(identity);
  if (rules.tokens === undefined) return noted(KEY_REQUIRED);
  const { "x-api-key": key, authorization = "" } = request.headers;
  const token = bearerToken(authorization);
  // If a key is sent, it decides, even if it is wrong.
  if (key !== undefined || token === undefined)
    return noted(key === undefined ? NO_TOKEN : KEY_REQUIRED);
  return noted(await rules.tokens.verify(token));
}

const NO_TOKEN: AccessRefusal = {
  status: 401,
  code: "TOKEN_MISSING",
  message:
    "An access token is required: get one from the issuer that the WWW-Authenticate header points to, and send it as a Bearer token.",
};

/** How often to check a response that was not a stream when its token expired, in milliseconds. */
const LOOK_MS = 1_000;
/** The longest delay of a timer. */
const MAX_TIMER_MS = 2_147_483_647;

/**
 * Ends a stream when its client's token expires. A response in one piece is not broken off: its request was allowed
 * when it came.
 */
function endWithToken(response: ServerResponse, { expiresAt }: Identity): void {
  if (expiresAt === undefined || response.closed) return;
  let timer: NodeJS.Timeout;
  const look = (): void => {
    const left = expiresAt - Date.now();
    if (left <= 0 && response.headersSent && !response.writableEnded) response.destroy();
    else timer = setTimeout(look, left > 0 ? Math.min(left, MAX_TIMER_MS) : LOOK_MS).unref();
  };
  look();
  response.once("close", () => clearTimeout(timer));
}
