import type { IncomingMessage, ServerResponse } from "node:http";
import { type Frame, readFrame } from "@touchstone/protocol/advanced";
import type { Endpoint } from "../relay/http/endpoint.ts";
import { identityOf } from "../relay/http/identity.ts";
import { readRequest, unsupportedBodyReason } from "../transport/http/body.ts";
import { mediaType } from "../transport/http/headers.ts";
import { requestsOf } from "../transport/http/messages.ts";
import { sendError } from "../transport/http/responses.ts";
import type { UnfinishedBodies } from "../transport/http/unfinished-bodies.ts";
import {
  type AccessRefusal,
  type AccessRules,
  admitRequest,
  carriesGatewayKey,
} from "./access/access.ts";
import { challengeFor } from "./access/protected-resource.ts";
import { mayReach } from "./access/roles.ts";
import { wrongAudienceRefusal } from "./access/tokens.ts";

/** The endpoints, and who may use them. The options are read for each request. */
export interface RouteOptions {
  readonly access: AccessRules;
  /** Largest request body, in bytes. */
  readonly maxRequestBytes: number;
  /** Counts the bodies of requests until they have arrived completely. */
  readonly bodies: UnfinishedBodies;
  /** What `/mcp/{server}` serves. */
  readonly endpoints: ReadonlyMap<string, Endpoint>;
  /** Answers all other requests. */
  readonly app: App;
  /** Why new requests are refused; absent while they are accepted. */
  readonly leaving?: string;
  /** Called for each request that is refused before it is read. */
  readonly turnedAway?: (turnedAway: RejectedRequest) => void;
}

/** Answers a request that is not for an MCP endpoint. Calls {@link admitRequest} before anything else. */
export type App = (
  request: IncomingMessage,
  response: ServerResponse,
  options: RouteOptions,
) => Promise<void>;

/** A request that was refused before it was read. */
export interface RejectedRequest {
  readonly request: IncomingMessage;
  /** The path of the request's target, percent-encoded, without the query. */
  readonly path: string;
  /** The server that it was for, if one has that name. */
  readonly server: string | undefined;
  readonly refusal: AccessRefusal;
}

/** The path prefix of the MCP endpoints. */
export const MCP_PATH = "/mcp/";
const METHODS = "POST, GET, DELETE";

/** For the gateway's own responses: no cache keeps them, no browser guesses their type. */
export const OWN_HEADERS = {
  "content-type": "application/json",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
} as const;

/** Answers one request: by the endpoint of a server, or else by the app. */
export async function routeRequest(
  request: IncomingMessage,
  response: ServerResponse,
  options: RouteOptions,
): Promise<void> {
  inOriginForm(request);
  const path = pathOf(request);
  const [server, endpoint] = serverAt(path, options) ?? [];
  if (endpoint === undefined) {
    await options.app(request, response, options);
    return;
  }
  const { answered, refusal } = await admitRequest(request, response, options.access);
  if (answered) return;
  const identity = identityOf(request);
  const isForOther = identity.audience?.has(server ?? "") === false;
  const refused = refusal ?? (isForOther ? wrongAudienceRefusal() : undefined);
  if (refused !== undefined) {
    options.turnedAway?.({ request, path, server, refusal: refused });
    refuseRequest(request, response, path, refused, options.access);
    return;
  }
  if (!mayReach(identity, server ?? "")) {
    await options.app(request, response, options);
    return;
  }
  // No server may see credentials for the gateway.
  if (
    identity.takesTokens === true ||
    carriesGatewayKey(request.headers.authorization, options.access)
  ) {
    delete request.headers.authorization;
  }
  await serve(endpoint, request, response, options);
}

/** Refuses a request that may not be read. */
export function refuseRequest(
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  refusal: AccessRefusal,
  access: AccessRules,
): void {
  sendRefusal(response, path, refusal, {
    ...(refusal.status === 401
      ? { "www-authenticate": challengeFor(refusal, request, path, access) }
      : {}),
    ...(refusal.status === 503 ? { "retry-after": RETRY_AFTER } : {}),
  });
}

/** Refuses a request because no new ones are accepted. */
export function refuseWhileStopping(response: ServerResponse, path: string, reason: string): void {
  sendRefusal(response, path, { status: 503, code: "STOPPING", message: reason }, LEAVING_HEADERS);
}

/** Sends a refusal: a JSON-RPC error to clients of servers, an error of the API to all others. */
export function sendRefusal(
  response: ServerResponse,
  path: string,
  {
    status,
    code,
    message,
  }: { readonly status: number; readonly code: string; readonly message: string },
  headers: Readonly<Record<string, string>> = {},
): void {
  if (path.startsWith(MCP_PATH)) {
    // A client that requests its own tokens may need to know what is wrong with one.
    const data = code.startsWith("TOKEN_") ? { code } : undefined;
    sendError(response, status, message, { headers, data });
    return;
  }
  response
    .writeHead(status, { ...headers, ...OWN_HEADERS })
    .end(JSON.stringify({ error: message, code }));
}

/** Returns the server that a path leads to, and its endpoint. */
function serverAt(
  path: string,
  { endpoints }: RouteOptions,
): readonly [string, Endpoint] | undefined {
  if (!path.startsWith(MCP_PATH)) return undefined;
  const name = percentDecoded(path.slice(MCP_PATH.length));
  const endpoint = name === undefined ? undefined : endpoints.get(name);
  return name === undefined || endpoint === undefined ? undefined : [name, endpoint];
}

async function serve(
  endpoint: Endpoint,
  request: IncomingMessage,
  response: ServerResponse,
  options: RouteOptions,
): Promise<void> {
  switch (request.method) {
    case "GET":
      await endpoint.get(request, response);
      return;
    case "DELETE":
      await endpoint.delete(request, response);
      return;
    case "POST":
      break;
    default:
      sendError(response, 405, "Method not allowed", { headers: { allow: METHODS } });
      return;
  }
  if (mediaType(request.headers["content-type"]) !== "application/json") {
    sendError(response, 415, "the body must be application/json");
    return;
  }
  const foreign = unsupportedBodyReason(request.headers);
  if (foreign !== undefined) {
    sendError(response, 415, foreign, { headers: { "accept-encoding": "identity" } });
    return;
  }
  const limit = options.maxRequestBytes;
  const body = await readRequest(request, limit, options.bodies);
  if (!(body instanceof Uint8Array)) {
    await endpoint.refuse(request, response, body, limit);
    return;
  }
  if (options.leaving !== undefined && refuseNew(response, body, options.leaving)) return;
  await endpoint.post(request, response, body);
}

/** `absolute-form` with the schemes that reach this listener (RFC 9112, section 3.2.2). */
const ABSOLUTE = /^https?:\/\/([^/?#]*)(.*)$/i;

/**
 * Rewrites a request whose target is a whole URL, as for proxies, into the usual form. The URL's authority replaces
 * the `Host` header (RFC 9112, section 3.2.2).
 */
function inOriginForm(request: IncomingMessage): void {
  const { url = "/" } = request;
  if (url.startsWith("/")) return;
  const [, authority, rest = ""] = ABSOLUTE.exec(url) ?? [];
  if (authority === undefined) return;
  request.headers.host = authority;
  request.url = rest.startsWith("/") ? rest : `/${rest}`;
}

/** Returns the path of a request, without its query. */
export function pathOf(request: IncomingMessage): string {
  const { url = "/" } = request;
  const query = url.indexOf("?");
  return query < 0 ? url : url.slice(0, query);
}

/** Decodes percent-encoding; undefined if it is broken. */
export function percentDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Returns whether a request only reads. */
export function isReadMethod({ method }: IncomingMessage): boolean {
  return method === "GET" || method === "HEAD";
}

/** The message for a request that is refused while the gateway ends. */
export const STOPPING_TEXT = "touchstone is stopping and accepts no new requests";

/** The same text if the configuration now has another address. */
export const MOVED_TEXT =
  "touchstone listens at another address now and accepts no new requests here";

/** When a client that was rejected may try again, in seconds (RFC 9110, section 10.2.3). */
export const RETRY_AFTER = "5";
const LEAVING_HEADERS: Record<string, string> = {
  "retry-after": RETRY_AFTER,
  connection: "close",
};

/**
 * Rejects a message because no new requests are accepted. Messages that end a pending request are still accepted: a
 * client's responses and notifications.
 * @param reason why new requests are refused
 * @returns whether it was rejected
 */
function refuseNew(response: ServerResponse, body: Uint8Array, reason: string): boolean {
  const frame = readFrame(body);
  if (expectsNoResponse(frame)) return false;
  sendError(response, 503, reason, { id: frame.id, headers: LEAVING_HEADERS });
  return true;
}

/** Returns whether a message can only end pending requests: a client's response or notification. */
export function expectsNoResponse(frame: Frame): boolean {
  return requestsOf(frame).length === 0 && frame.kind !== "invalid";
}
