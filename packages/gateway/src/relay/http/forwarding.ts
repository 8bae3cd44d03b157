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

/** Headers of a client that are for the gateway alone; `authorization` too, unless configured. */
const NOT_FORWARDED: ReadonlySet<string> = new Set([
  "accept-encoding",
  "cookie",
  "origin",
  "x-api-key",
]);

type Headers = Record<string, string | string[]>;

function pass(headers: IncomingHttpHeaders, leaveOut: (name: string) => boolean): Headers {
  const named = new Set(
    String(headers.connection ?? "")
      .split(",")
      .map((name) => name.trim().toLowerCase()),
  );
  const passed: Headers = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || HOP_BY_HOP.has(name) || named.has(name) || leaveOut(name)) continue;
    passed[name] = value;
  }
  return passed;
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
  const headers = pass(
    client,
    (name) => NOT_FORWARDED.has(name) || (name === "authorization" && !forwardAuthorization),
  );
  for (const [name, value] of Object.entries(configured)) headers[name.toLowerCase()] = value;
  headers["accept-encoding"] = "identity";
  return headers;
}

/** The headers that go back to the client: the upstream's own. */
export function responseHeaders(upstream: IncomingHttpHeaders): OutgoingHttpHeaders {
  return pass(upstream, () => false);
}

/** For what a browser may show as a page: it stands at the origin of the gateway's own console. */
export const NO_RIGHTS: OutgoingHttpHeaders = {
  "content-security-policy": "default-src 'none'; sandbox",
  "x-content-type-options": "nosniff",
};

/** A media type without its parameters, in lower case; empty where there is none. */
export function mediaType(header: string | string[] | undefined): string {
  return (
    String(header ?? "")
      .split(";", 1)[0]
      ?.trim()
      .toLowerCase() ?? ""
  );
}
