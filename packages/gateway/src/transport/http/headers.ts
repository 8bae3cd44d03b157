import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http";

/** Headers that belong to one hop (RFC 9110, section 7.6.1), or that the gateway sets itself. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Further client headers that are for the gateway only; `authorization` too, unless it is forwarded. */
const NOT_FORWARDED: ReadonlySet<string> = new Set([
  ...HOP_BY_HOP,
  "accept-encoding",
  "cookie",
  "origin",
  "x-api-key",
]);
const NOR_AUTHORIZATION: ReadonlySet<string> = new Set([...NOT_FORWARDED, "authorization"]);

type Headers = Record<string, string | string[]>;

/**
 * Copies the header fields of a message, by lower-case name. Fields of an upstream are lists if a name is on several
 * lines (RFC 9110, section 5.3).
 */
export type HeaderFields = Readonly<Record<string, string | string[] | undefined>>;

/**
 * @param leftOut names to leave out, including {@link HOP_BY_HOP}
 * @param isMeant whether to copy another header; default: all
 */
function pass(
  headers: HeaderFields,
  leftOut: ReadonlySet<string>,
  isMeant: (name: string) => boolean = () => true,
): Headers {
  const named = namedBy(headers["connection"]);
  const passed: Headers = {};
  for (const name of Object.keys(headers)) {
    if (leftOut.has(name) || named?.has(name)) continue;
    if (!isMeant(name)) continue;
    const value = headers[name];
    if (value !== undefined) passed[name] = value;
  }
  return passed;
}

/** Returns the headers that `Connection` names as belonging to this connection. */
function namedBy(connection: string | string[] | undefined): ReadonlySet<string> | undefined {
  // Most connections name only `keep-alive`, which is never forwarded.
  if (connection === undefined || connection === "keep-alive") return undefined;
  return new Set(
    String(connection)
      .split(",")
      .map((name) => name.trim().toLowerCase()),
  );
}

/**
 * Returns the headers for an upstream: the client's without those for the gateway only, overridden by the configured
 * ones. The body is requested uncompressed.
 * @param forwardAuthorization whether to send the client's `Authorization`, if none is configured
 */
export function requestHeaders(
  client: IncomingHttpHeaders,
  configured: Readonly<Record<string, string>>,
  forwardAuthorization = false,
): Headers {
  const leftOut = forwardAuthorization ? NOT_FORWARDED : NOR_AUTHORIZATION;
  const headers = pass(client, leftOut);
  for (const [name, value] of Object.entries(configured)) headers[name.toLowerCase()] = value;
  headers["accept-encoding"] = "identity";
  return headers;
}

/**
 * Upstream headers that go back to a client: about the message, about when to retry, and about authorization. Others
 * are dropped, because browsers and proxies act on many of them, at the origin of the console and of all other
 * servers.
 */
const RETURNED: ReadonlySet<string> = new Set([
  "age",
  "allow",
  "cache-control",
  "content-encoding",
  "content-language",
  "content-type",
  "date",
  "deprecation",
  "etag",
  "expires",
  "idempotency-key",
  "last-modified",
  "retry-after",
  "request-id",
  "server",
  "server-timing",
  "sunset",
  "traceparent",
  "traceresponse",
  "tracestate",
  "vary",
  "via",
  "warning",
]);
/** Further headers that go back: those of MCP, of rate limits, and a server's own. */
const RETURNED_FAMILIES = /^(?:mcp|ratelimit|x)-/;
/** Headers of a server's own that browsers and proxies act on: nginx sends a file for `X-Accel-Redirect`. */
const ACTED_ON =
  /^x-(?:accel|content-(?:security|type-options)|dns-prefetch|download|frame|lighttpd|permitted|pingback|reproxy|robots|sendfile|ua-compatible|webkit|xss)/;
const CHALLENGES = "www-authenticate";

/**
 * Returns the headers for the client: upstream headers about the response, but none that apply to the whole origin or
 * let pages read responses (Fetch Standard, HTTP CORS protocol). Among the challenges, only `Bearer` goes back, which
 * is OAuth's (MCP, Authorization): for others, a browser would ask its user for a password.
 * @param vary the request headers that the gateway's own response depends on
 */
export function responseHeaders(
  upstream: HeaderFields,
  vary?: string | number | string[],
): OutgoingHttpHeaders {
  const headers = pass(upstream, HOP_BY_HOP, isReturned);
  const challenges = [upstream[CHALLENGES] ?? []].flat().flatMap((line) => bearerIn(line) ?? []);
  const [only] = challenges;
  if (only !== undefined) headers[CHALLENGES] = challenges.length === 1 ? only : challenges;
  if (vary === undefined || headers["vary"] === undefined) return headers;
  return { ...headers, vary: `${headers["vary"]}, ${vary}` };
}

function isReturned(name: string): boolean {
  return RETURNED.has(name) || (RETURNED_FAMILIES.test(name) && !ACTED_ON.test(name));
}

/** The start of a challenge: a scheme, not a parameter (RFC 9110, section 11.6.1). */
const SCHEME = /^([!#$%&'*+.^`|~\w-]+)(?:\s+[^=\s]|$)/;

/** Splits a line at commas outside quoted text. */
function pieces(line: string): string[] {
  return line.match(/(?:"(?:[^"\\]|\\.)*(?:"|$)|[^",])+/g) ?? [];
}

/** Returns the `Bearer` challenges of a `WWW-Authenticate` line: the same line if it has no others. */
function bearerIn(line: string): string | undefined {
  let isBearer = false;
  let others = false;
  const kept: string[] = [];
  for (const piece of pieces(line)) {
    const scheme = SCHEME.exec(piece.trim())?.[1];
    if (scheme !== undefined) isBearer = scheme.toLowerCase() === "bearer";
    if (isBearer) kept.push(piece.trim());
    else others = true;
  }
  if (!others) return line;
  return kept.length === 0 ? undefined : kept.join(", ");
}

/** For responses that a browser may show as a page, which would have the origin of the gateway's console. */
export const SANDBOX_HEADERS: OutgoingHttpHeaders = {
  "content-security-policy": "default-src 'none'; sandbox",
  "x-content-type-options": "nosniff",
};

/**
 * Returns a media type without parameters, in lower case; empty if there is none. If several different ones are
 * given, returns all of them as one text, which matches no known type: readers differ in which one they use.
 */
export function mediaType(header: string | string[] | undefined): string {
  if (header === "application/json" || header === "text/event-stream") return header;
  if (header === undefined) return "";
  const types = [header].flat().map((type) => type.split(";", 1)[0]?.trim().toLowerCase());
  return [...new Set(types)].join(", ");
}
