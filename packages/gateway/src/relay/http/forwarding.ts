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

/** Besides, headers of a client that are for the gateway alone; `authorization` too, unless configured. */
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
 * The header fields of a message by their names in lower case; those of an upstream are a list wherever a name
 * stands in several lines (RFC 9110, section 5.3).
 */
export type HeaderFields = Readonly<Record<string, string | string[] | undefined>>;

/**
 * @param leftOut names, those of {@link HOP_BY_HOP} among them
 * @param family what the names of others begin with that are left out
 */
function pass(headers: HeaderFields, leftOut: ReadonlySet<string>, family?: string): Headers {
  const named = namedBy(headers["connection"]);
  const passed: Headers = {};
  for (const name of Object.keys(headers)) {
    if (leftOut.has(name) || named?.has(name)) continue;
    if (family !== undefined && name.startsWith(family)) continue;
    const value = headers[name];
    if (value !== undefined) passed[name] = value;
  }
  return passed;
}

/** The headers that `Connection` names as its own. */
function namedBy(connection: string | string[] | undefined): ReadonlySet<string> | undefined {
  // Most connections say no more, and that is a name that is never passed.
  if (connection === undefined || connection === "keep-alive") return undefined;
  return new Set(
    String(connection)
      .split(",")
      .map((name) => name.trim().toLowerCase()),
  );
}

/**
 * The headers that go to an upstream: the client's, without those that are for the gateway alone,
 * and the configured ones in their place. The body is asked for as it is, without compression.
 * @param forwardAuthorization whether the client's `Authorization` goes too, where none is configured
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
 * Besides, headers that speak for the whole origin, at which the console and all other servers are too. Cookies
 * would be of no use: none goes to a server.
 */
const NOR_SITE_WIDE: ReadonlySet<string> = new Set([
  ...HOP_BY_HOP,
  "alt-svc",
  "clear-site-data",
  "nel",
  "origin-agent-cluster",
  "report-to",
  "reporting-endpoints",
  "service-worker-allowed",
  "set-cookie",
  "strict-transport-security",
]);

/**
 * The headers that go back to the client: the upstream's own, without those that speak for the whole
 * origin, and those by which it would let pages read its answers (Fetch Standard, HTTP CORS protocol):
 * both are for the gateway to decide.
 * @param vary what the gateway's own answer depends on
 */
export function responseHeaders(
  upstream: HeaderFields,
  vary?: string | number | string[],
): OutgoingHttpHeaders {
  const headers = pass(upstream, NOR_SITE_WIDE, "access-control-");
  if (vary === undefined || headers["vary"] === undefined) return headers;
  return { ...headers, vary: `${headers["vary"]}, ${vary}` };
}

/** For what a browser may show as a page: it stands at the origin of the gateway's own console. */
export const NO_RIGHTS: OutgoingHttpHeaders = {
  "content-security-policy": "default-src 'none'; sandbox",
  "x-content-type-options": "nosniff",
};

/**
 * A media type without its parameters, in lower case; empty where there is none. Where several stand that are not
 * the same, all of them: readers differ over which counts, so that it is none that could be read here.
 */
export function mediaType(header: string | string[] | undefined): string {
  if (header === "application/json" || header === "text/event-stream") return header;
  if (header === undefined) return "";
  const types = [header].flat().map((type) => type.split(";", 1)[0]?.trim().toLowerCase());
  return [...new Set(types)].join(", ");
}
