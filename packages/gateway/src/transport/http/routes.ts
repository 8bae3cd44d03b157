import type { IncomingMessage, ServerResponse } from "node:http";
import { type Frame, readFrame } from "@touchstone/protocol";
import { type AccessRules, admit, isOwnKey, type Refusal } from "./access.ts";
import { foreignBody, readRequest } from "./body.ts";
import { type Endpoint, sendError } from "./endpoint.ts";
import { mediaType } from "./headers.ts";
import { requestsOf } from "./messages.ts";
import { prefersText, type ServedPaths, sendPathList, shownPath } from "./not-found.ts";
import { answerBy, type WebHandler } from "./web-handler.ts";

/** What is served, to whom. Read for each request. */
export interface RouteOptions {
  readonly access: AccessRules;
  /** Largest request body, in bytes. */
  readonly maxRequestBytes: number;
  /** What is served at `/mcp/{server}`. */
  readonly endpoints: ReadonlyMap<string, Endpoint>;
  /** What answers requests without a body at these paths and below them. */
  readonly pages?: ReadonlyMap<string, WebHandler>;
  /** What answers at further paths, and reads the bodies itself. */
  readonly site?: Site;
  /** What `/readyz` tells. */
  readonly readiness?: () => Promise<Readiness>;
  /** Why no new requests are taken, where none are. */
  readonly leaving?: string;
  /** Told of each request that is turned away unread. */
  readonly turnedAway?: (turnedAway: TurnedAway) => void;
}

/** A request that was turned away before it was read. */
export interface TurnedAway {
  readonly request: IncomingMessage;
  /** Of the request's target, percent-encoded, without the query. */
  readonly path: string;
  /** The server that it was for, where there is one of that name. */
  readonly server: string | undefined;
  readonly refusal: Refusal;
}

/** Answers requests at paths of its own; undefined for others. */
export interface Site {
  /** Whether a request needs no API key: what it asks for tells nothing of any server, or it brings another secret. */
  isOpen?(request: IncomingMessage, path: string): boolean;
  handle(
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
  ): Promise<void> | undefined;
}

const READY: Readiness = { ready: true, status: "ready", details: {} };
const PREFIX = "/mcp/";
const METHODS = "POST, GET, DELETE";
const CHALLENGE = { "www-authenticate": "Bearer" };

/** For what the gateway itself tells: no cache keeps it, no browser guesses its type. */
const OWN_HEADERS = {
  "content-type": "application/json",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
} as const;

function plain(response: ServerResponse, status: number, body: unknown, headers = {}): void {
  response.writeHead(status, { ...headers, ...OWN_HEADERS }).end(JSON.stringify(body));
}

/** Answers one request: who may ask, and whose it is. */
export async function route(
  request: IncomingMessage,
  response: ServerResponse,
  options: RouteOptions,
): Promise<void> {
  inOriginForm(request);
  const path = pathOf(request);
  const { answered, refusal } = admit(request, response, options.access);
  if (answered) return;
  if (path === "/healthz") {
    plain(response, 200, { status: "ok" });
    return;
  }
  if (path === "/readyz") {
    const { ready, status, details } = (await options.readiness?.()) ?? READY;
    const headers = ready ? {} : { "retry-after": RETRY_AFTER };
    // A balancer has neither the key nor a name that is known here; what servers there are, it need
    // not know.
    plain(response, ready ? 200 : 503, { status, ...(refusal ? {} : details) }, headers);
    return;
  }
  if (refusal && !(refusal.status === 401 && options.site?.isOpen?.(request, path))) {
    const [server] = serverAt(path, options) ?? [];
    options.turnedAway?.({ request, path, server, refusal });
    turnAway(response, path, refusal, refusal.status === 401 ? CHALLENGE : {});
    return;
  }
  const [, endpoint] = serverAt(path, options) ?? [];
  if (endpoint !== undefined) {
    // What lets a client in here is nothing that a server may see.
    if (isOwnKey(request.headers.authorization, options.access))
      delete request.headers.authorization;
    await serve(endpoint, request, response, options);
    return;
  }
  if (options.leaving !== undefined && !isRead(request)) {
    const stopping = { status: 503, code: "STOPPING", message: options.leaving } as const;
    turnAway(response, path, stopping, LEAVING_HEADERS);
    return;
  }
  const page = pageAt(path, options);
  if (page !== undefined) {
    await answerBy(page, request, response);
    return;
  }
  const sent = options.site?.handle(request, response, path);
  if (sent !== undefined) {
    await sent;
    return;
  }
  nothingAt(request, response, path, options);
}

/** People are told which paths there are, programs in the form of the API that they asked. */
function nothingAt(
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  { endpoints, pages = new Map(), site }: RouteOptions,
): void {
  const servers = [...endpoints.keys()].map((name) => PREFIX + encodeURIComponent(name));
  if (isRead(request) && prefersText(request)) {
    const served: ServedPaths = [
      ...(site === undefined ? [] : [["console", "/"] as const]),
      ...servers.map((server) => ["MCP server", server] as const),
      ...[...pages.keys()].map((page) => ["API", page] as const),
      ["health", "/healthz"],
      ["readiness", "/readyz"],
    ];
    sendPathList(response, `Nothing is served at ${shownPath(path)}. These paths are:`, served);
    return;
  }
  const message = `Nothing is served at this path. Servers: ${servers.join(", ")}`;
  turnAway(response, path, { status: 404, code: "NOT_FOUND", message });
}

/** Servers' clients get a JSON-RPC error, all others the error of the API beside them. */
function turnAway(
  response: ServerResponse,
  path: string,
  { status, code, message }: Omit<Refusal, "status"> & { readonly status: number },
  headers: Record<string, string> = {},
): void {
  if (path.startsWith(PREFIX)) sendError(response, status, message, { headers });
  else plain(response, status, { error: message, code }, headers);
}

function pageAt(path: string, { pages = new Map() }: RouteOptions): WebHandler | undefined {
  for (const [base, handler] of pages) {
    if (path === base || path.startsWith(`${base}/`)) return handler;
  }
  return undefined;
}

/** The server that a path leads to, and what is served there. */
function serverAt(
  path: string,
  { endpoints }: RouteOptions,
): readonly [string, Endpoint] | undefined {
  if (!path.startsWith(PREFIX)) return undefined;
  const name = decoded(path.slice(PREFIX.length));
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
  const foreign = foreignBody(request.headers);
  if (foreign !== undefined) {
    sendError(response, 415, foreign, { headers: { "accept-encoding": "identity" } });
    return;
  }
  const limit = options.maxRequestBytes;
  const body = await readRequest(request, limit);
  if (!(body instanceof Uint8Array)) {
    await endpoint.refuse(request, response, body, limit);
    return;
  }
  if (options.leaving !== undefined && refuseNew(response, body, options.leaving)) return;
  await endpoint.post(request, response, body);
}

/** `absolute-form` of the schemes that reach this listener (RFC 9112, section 3.2.2). */
const ABSOLUTE = /^https?:\/\/([^/?#]*)(.*)$/i;

/**
 * Puts a request whose target is a whole URL, as proxies are asked, into the form that all others have.
 * Its authority takes the place of the `Host` header, which then counts for nothing (RFC 9112, section 3.2.2).
 */
function inOriginForm(request: IncomingMessage): void {
  const { url = "/" } = request;
  if (url.startsWith("/")) return;
  const [, authority, rest = ""] = ABSOLUTE.exec(url) ?? [];
  if (authority === undefined) return;
  request.headers.host = authority;
  request.url = rest.startsWith("/") ? rest : `/${rest}`;
}

/** The path of a request, without its query. */
export function pathOf(request: IncomingMessage): string {
  const { url = "/" } = request;
  const query = url.indexOf("?");
  return query < 0 ? url : url.slice(0, query);
}

/** Percent-decoded; undefined where the encoding is broken. */
export function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Whether a request only asks to be told something. */
export function isRead({ method }: IncomingMessage): boolean {
  return method === "GET" || method === "HEAD";
}

/** Whether requests may be sent here, and why not. */
export interface Readiness {
  readonly ready: boolean;
  /** One line for people. */
  readonly status: string;
  /** What whoever may use the gateway is told besides. Holds no secrets. */
  readonly details: Readonly<Record<string, unknown>>;
}

/** What a request is told that is not taken any more. */
export const STOPPING = "touchstone is stopping and takes no new requests";

/** The same where the configuration has another address. */
export const MOVED = "touchstone listens at another address now and takes no new requests here";

/** When a client that was turned away may try again, in seconds (RFC 9110, section 10.2.3). */
const RETRY_AFTER = "5";
const LEAVING_HEADERS: Record<string, string> = {
  "retry-after": RETRY_AFTER,
  connection: "close",
};

/**
 * Turns a message away because no new requests are taken. What ends a request that is under way still
 * passes: a client's answers and notifications.
 * @param reason why none are
 * @returns whether it was turned away
 */
function refuseNew(response: ServerResponse, body: Uint8Array, reason: string): boolean {
  const frame = readFrame(body);
  if (asksNothing(frame)) return false;
  sendError(response, 503, reason, { id: frame.id, headers: LEAVING_HEADERS });
  return true;
}

/** Whether a message only ends what is under way: a client's answer or notification. */
export function asksNothing(frame: Frame): boolean {
  return requestsOf(frame).length === 0 && frame.kind !== "invalid";
}
