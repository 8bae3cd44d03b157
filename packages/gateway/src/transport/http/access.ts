import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { isLoopback } from "../../config/address.ts";

export interface AccessRules {
  /** `Host` values accepted besides loopback names, with or without a port. */
  readonly allowedHosts: readonly string[];
  /** `Origin` values accepted besides loopback origins. */
  readonly allowedOrigins: readonly string[];
  readonly apiKey?: string;
  /** Whether a key is accepted instead of the API key: one that a browser got for the code of a link. */
  readonly isSignedIn?: (key: string) => boolean;
}

/**
 * Why a request is refused before it is read.
 *
 * - `API_KEY_REQUIRED` (401): the API key is missing, or it is another one
 * - `HOST_NOT_ALLOWED`, `ORIGIN_NOT_ALLOWED` (403): the header names what is not accepted here, or a page of
 *   another site asks without an origin
 * - `NOT_FOUND` (404): nothing is served at this path
 * - `STOPPING` (503): the gateway is ending, or listens at another address now, and takes no changes here
 */
export type AccessErrorCode =
  | "API_KEY_REQUIRED"
  | "HOST_NOT_ALLOWED"
  | "ORIGIN_NOT_ALLOWED"
  | "NOT_FOUND"
  | "STOPPING";

/** What a request is refused with before it is read. */
export interface Refusal {
  readonly status: 401 | 403;
  readonly code: AccessErrorCode;
  readonly message: string;
}

/** True for an authority's host that only this machine can reach. */
function isOwn(host: string): boolean {
  return isLoopback(host.replace(/^\[(.*)\]$/, "$1"));
}

function hostname(authority: string): string {
  return authority.toLowerCase().replace(/:\d+$/, "");
}

function hostAllowed(host: string | undefined, rules: AccessRules): boolean {
  if (host === undefined) return false;
  if (isOwn(hostname(host))) return true;
  const lower = host.toLowerCase();
  return rules.allowedHosts.some((allowed) => {
    const name = allowed.toLowerCase();
    return name === lower || name === hostname(lower);
  });
}

/** Whether an origin is one of those that are configured. */
export function isListedOrigin(origin: string, { allowedOrigins }: AccessRules): boolean {
  return allowedOrigins.some((allowed) => allowed.toLowerCase() === origin.toLowerCase());
}

function originAllowed(origin: string, rules: AccessRules): boolean {
  if (isListedOrigin(origin, rules)) return true;
  if (!URL.canParse(origin)) return false;
  return isOwn(new URL(origin).hostname);
}

/**
 * Whether a page of another site made a browser send this and was not named: as an image, a frame, or a `fetch`
 * whose answer it cannot read, but which has servers started and records read all the same (W3C Fetch
 * Metadata). To follow a link from such a page is the operator's own doing.
 */
function isSentUnnamed(headers: IncomingHttpHeaders): boolean {
  if (headers["sec-fetch-site"] !== "cross-site" || headers.origin !== undefined) return false;
  return headers["sec-fetch-mode"] !== "navigate" || headers["sec-fetch-dest"] !== "document";
}

/** Comparing digests takes the same time whatever the lengths and however many bytes agree. */
export function sameSecret(given: string, expected: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

/** The key that a request carries: `X-API-Key`, or else a Bearer token (RFC 6750, section 2.1). */
export function givenKey(headers: IncomingHttpHeaders): string | undefined {
  const key = headers["x-api-key"];
  if (typeof key === "string") return key;
  return bearerToken(headers.authorization ?? "");
}

/** Whether the `Authorization` of a request is the gateway's own key, which no server must see. */
export function isOwnKey(authorization: string | undefined, rules: AccessRules): boolean {
  const given = bearerToken(authorization ?? "");
  return given !== undefined && isAccepted(given, rules);
}

function isAccepted(key: string, { apiKey, isSignedIn }: AccessRules): boolean {
  return (apiKey !== undefined && sameSecret(key, apiKey)) || isSignedIn?.(key) === true;
}

function bearerToken(authorization: string): string | undefined {
  return /^Bearer +(\S+)$/i.exec(authorization)?.[1];
}

/**
 * Decides whether a request may be read at all: `Host` and `Origin` against DNS rebinding (MCP
 * 2025-11-25, Transports, Security Warning) and other sites' pages, then the API key where one is set.
 */
export function refuse(headers: IncomingHttpHeaders, rules: AccessRules): Refusal | undefined {
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
        "A page of another site may not ask here without its origin. Open this address itself, or let the page ask by fetch, from an origin in listen.allowed_origins.",
    };
  }
  if (rules.apiKey === undefined) return undefined;
  const key = givenKey(headers);
  if (key !== undefined && isAccepted(key, rules)) return undefined;
  return {
    status: 401,
    code: "API_KEY_REQUIRED",
    message: "An API key is required: send it as X-API-Key or as a Bearer token.",
  };
}
