import type { IncomingMessage, ServerResponse } from "node:http";
import { type AccessRules, isListedOrigin } from "./access.ts";

/**
 * What pages may send. `PATCH`, which changes settings, is for the console alone, and that stands at
 * the gateway's own origin.
 */
const METHODS = "GET, POST, DELETE";
/** Request headers of MCP's Streamable HTTP, and those that the API key comes in. */
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
];
/** Headers that tell a tool's arguments (MCP 2026-07-28); the tools name them. */
const PARAM_HEADER = /^mcp-param-[!#$%&'*+.^_`|~0-9a-z-]+$/;
const EXPOSED = "Mcp-Session-Id, WWW-Authenticate, Retry-After";
/** How long a browser need not ask again. A change of the origins is to be felt soon. */
const MAX_AGE_SECONDS = "600";

/**
 * Lets pages at the origins of `listen.allowed_origins` read what is answered (Fetch Standard, HTTP
 * CORS protocol), and answers their preflights, which carry no key and are told nothing else. A
 * loopback origin that is not listed there gets no leave: what stands at a port of this machine may show
 * pages that others wrote. Nor do credentials: the key is a header, and there are no cookies.
 *
 * Sets headers that whatever answers the request then adds to.
 * @returns true where the request was a preflight and is answered
 */
export function answerCors(
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
      "access-control-allow-headers": [...HEADERS, ...paramHeaders(asked)].join(", "),
      "access-control-max-age": MAX_AGE_SECONDS,
    })
    .end();
  return true;
}

function paramHeaders(asked: string): string[] {
  const names = asked.split(",").map((name) => name.trim().toLowerCase());
  return names.filter((name) => PARAM_HEADER.test(name));
}
