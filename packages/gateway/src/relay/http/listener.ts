import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Logger } from "../../log.ts";
import { type AccessRules, isOwnKey, refuse } from "./access.ts";
import { BodyTooLargeError, readBody } from "./body.ts";
import { type Endpoint, sendError } from "./endpoint.ts";
import { mediaType } from "./forwarding.ts";
import { answerBy, type WebHandler } from "./web-handler.ts";

export interface ListenerOptions {
  readonly host: string;
  readonly port: number;
  readonly access: AccessRules;
  /** Largest request body, in bytes. */
  readonly maxRequestBytes: number;
  /** What is served at `/mcp/{server}`. */
  readonly endpoints: ReadonlyMap<string, Endpoint>;
  /** What answers requests without a body at these paths and below them. */
  readonly pages?: ReadonlyMap<string, WebHandler>;
  /** What answers at further paths, and reads the bodies itself. */
  readonly site?: Site;
  readonly log: Logger;
}

/** Answers requests at paths of its own; undefined for others. */
export interface Site {
  handle(
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
  ): Promise<void> | undefined;
}

/** A gateway that listens. */
export interface Listener {
  readonly host: string;
  readonly port: number;
  /** Takes no new connection, ends the open ones and every endpoint. */
  close(): Promise<void>;
}

const PREFIX = "/mcp/";
const METHODS = "POST, GET, DELETE";

function plain(response: ServerResponse, status: number, body: unknown, headers = {}): void {
  const text = JSON.stringify(body);
  response.writeHead(status, { ...headers, "content-type": "application/json" }).end(text);
}

/** Starts an HTTP server that has one Streamable HTTP endpoint for each upstream. */
export async function listen(options: ListenerOptions): Promise<Listener> {
  const handling = new Set<Promise<void>>();
  const server = createServer((request, response) => {
    const handled = handle(request, response, options)
      .catch((error: unknown) => failed(error, request, response, options.log))
      .finally(() => handling.delete(handled));
    handling.add(handled);
  });
  // Answers and streams may take any time; only a request has to come in time.
  server.requestTimeout = 60_000;
  await started(server, options);
  const { port, address } = server.address() as AddressInfo;
  return {
    host: address,
    port,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      await Promise.all([...options.endpoints.values()].map((endpoint) => endpoint.close()));
      server.closeAllConnections();
      await closed;
      // Their last records are written before the caller closes the store.
      await Promise.all(handling);
    },
  };
}

function failed(
  error: unknown,
  request: IncomingMessage,
  response: ServerResponse,
  log: Logger,
): void {
  // A client that leaves in the middle of its body is no fault of ours.
  if (request.destroyed && !request.complete) {
    log.debug("a client left before its request was whole");
    return;
  }
  const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
  log.error("a request failed", { path: pathOf(request), reason });
  sendError(response, 500, "touchstone: internal error; see the gateway's log");
  if (!response.writableEnded) response.destroy();
}

function pathOf(request: IncomingMessage): string {
  return (request.url ?? "/").split("?", 1)[0] ?? "/";
}

function started(server: Server, { host, port }: ListenerOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(listenError(error, host, port)));
    server.listen(port, host, resolve);
  });
}

/** The gateway could not listen where it was told to. */
export class ListenError extends Error {
  override readonly name: string = "ListenError";
}

function listenError(error: NodeJS.ErrnoException, host: string, port: number): ListenError {
  const where = `${host}:${port}`;
  switch (error.code) {
    case "EADDRINUSE":
      return new ListenError(
        `cannot listen on ${where}: the port is in use. Choose another with --listen`,
      );
    case "EACCES":
      return new ListenError(
        `cannot listen on ${where}: ports below 1024 need more rights. Choose another with --listen`,
      );
    case "ENOTFOUND":
    case "EADDRNOTAVAIL":
      return new ListenError(`cannot listen on ${where}: this machine has no such address`);
    default:
      return new ListenError(`cannot listen on ${where}: ${error.message}`);
  }
}

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  options: ListenerOptions,
): Promise<void> {
  const path = pathOf(request);
  if (path === "/healthz") {
    plain(response, 200, { status: "ok" });
    return;
  }
  const refusal = refuse(request.headers, options.access);
  if (refusal) {
    const headers: Record<string, string> =
      refusal.status === 401 ? { "www-authenticate": "Bearer" } : {};
    sendError(response, refusal.status, refusal.message, { headers });
    return;
  }
  if (isOwnKey(request.headers.authorization, options.access)) delete request.headers.authorization;
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
  const endpoint = path.startsWith(PREFIX) ? options.endpoints.get(serverName(path)) : undefined;
  if (endpoint === undefined) {
    const servers = [...options.endpoints.keys()].map((name) => PREFIX + encodeURIComponent(name));
    plain(response, 404, {
      error: `Nothing is served at this path. Servers: ${servers.join(", ")}`,
    });
    return;
  }
  await serve(endpoint, request, response, options);
}

function pageAt(path: string, { pages = new Map() }: ListenerOptions): WebHandler | undefined {
  for (const [base, handler] of pages) {
    if (path === base || path.startsWith(`${base}/`)) return handler;
  }
  return undefined;
}

function serverName(path: string): string {
  try {
    return decodeURIComponent(path.slice(PREFIX.length));
  } catch {
    return "";
  }
}

async function serve(
  endpoint: Endpoint,
  request: IncomingMessage,
  response: ServerResponse,
  options: ListenerOptions,
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
  try {
    await endpoint.post(request, response, await readBody(request, options.maxRequestBytes));
  } catch (error) {
    if (!(error instanceof BodyTooLargeError)) throw error;
    // The rest of the body is read over and dropped, so that the client gets to read this.
    request.resume();
    sendError(response, 413, error.message);
  }
}
