import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { stackOf } from "@touchstone/core/advanced";
import { type Logger, PacedLog, TouchstoneError, valueOrTimeout } from "@touchstone/util";
import { OpenRequests } from "../transport/http/open-requests.ts";
import { sendError } from "../transport/http/responses.ts";
import { BodyRefusedError } from "../transport/http/unfinished-bodies.ts";
import { pathOf, type RouteOptions, routeRequest, sendRefusal } from "./mcp-routes.ts";

export interface ListenerOptions extends RouteOptions {
  readonly host: string;
  readonly port: number;
  /** Default {@link REQUEST_TIMES}. */
  readonly times?: RequestTimes;
  /** How long a connection without a request stays open, in milliseconds. */
  readonly idleMs: number;
  readonly log: Logger;
}

/** A gateway that listens. */
export interface Listener {
  readonly host: string;
  readonly port: number;
  /** Stops accepting connections, and ends open ones and every endpoint. */
  close(): Promise<void>;
  /**
   * Stops accepting connections, and ends open ones after everything on them is answered, or the signal is aborted.
   * The endpoints continue.
   */
  leave(signal: AbortSignal): Promise<void>;
  /** Ends streams that were requested under other rules. Other requests are still answered. */
  endStreams(): void;
  /** Changes how long a connection stays open after its next response, in milliseconds. */
  keepIdle(milliseconds: number): void;
}

/** How long the last responses may take to reach their clients, which may not read. */
const LAST_ANSWERS_MS = 1_000;

/** Starts an HTTP server that has one Streamable HTTP endpoint for each upstream. */
export async function listen(options: ListenerOptions): Promise<Listener> {
  let handling = 0;
  const waiting: (() => void)[] = [];
  const underWay = new OpenRequests();
  const streams = new OpenStreams();
  const answer: RequestListener = (request, response) => {
    // Only a GET for a stream has no end; all other requests are answered at once.
    endUnread(request, response, options.times ?? REQUEST_TIMES);
    const ends = request.method === "POST" && underWay.add(request, response);
    if (!ends) streams.add(response);
    handling += 1;
    const over = (): void => {
      handling -= 1;
      if (handling === 0) for (const resolve of waiting.splice(0)) resolve();
    };
    routeRequest(request, response, options).then(over, (error: unknown) => {
      over();
      failed(error, request, response, options.log);
    });
  };
  const server = createServer(
    serverOptions(options, options.access.tokens !== undefined),
    handleInOrder(answer),
  );
  await started(server, options);
  const { port, address } = server.address() as AddressInfo;
  const leave = async (answered: Promise<unknown>): Promise<void> => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeIdleConnections();
    await answered;
    server.closeAllConnections();
    await closed;
    // The last records are written before the caller closes the store.
    if (handling === 0) return;
    await new Promise<void>((resolve) => waiting.push(resolve));
  };
  // Requests whose server has ended get an error, which is sent after it is recorded.
  const ended = async (): Promise<void> => {
    await Promise.all([...options.endpoints.values()].map((each) => each.close()));
    await valueOrTimeout(LAST_ANSWERS_MS, underWay.settled(new AbortController().signal), () => {});
  };
  return {
    host: address,
    port,
    close: () => leave(ended()),
    leave: (signal) => leave(underWay.settled(signal)),
    endStreams: () => streams.end(),
    keepIdle: (milliseconds) => {
      server.keepAliveTimeout = milliseconds;
    },
  };
}

/** Ends the connection of a client that continues to send a body for too long after the response. */
function endUnread(
  request: IncomingMessage,
  response: ServerResponse,
  { unread }: RequestTimes,
): void {
  response.once("finish", () => {
    if (request.complete || request.destroyed) return;
    const timer = setTimeout(() => request.destroy(), unread).unref();
    request.once("close", () => clearTimeout(timer));
  });
}

function failed(
  error: unknown,
  request: IncomingMessage,
  response: ServerResponse,
  log: Logger,
): void {
  // A client that disconnects in the middle of its body is not the gateway's fault.
  if (request.destroyed && !request.complete) {
    log.debug("a client left before its request was complete");
    return;
  }
  if (error instanceof BodyRefusedError) {
    sendRefusal(response, pathOf(request), error, error.headers);
    return;
  }
  log.error("a request failed", { path: pathOf(request), reason: stackOf(error) });
  sendError(response, 500, "touchstone: internal error; see the gateway's log");
  if (!response.writableEnded) response.destroy();
}

function started(server: Server, { host, port, log }: ListenerOptions): Promise<void> {
  const paced = new PacedLog(log);
  return new Promise((resolve, reject) => {
    const refused = (error: NodeJS.ErrnoException): void => reject(listenError(error, host, port));
    server.once("error", refused);
    server.listen(port, host, () => {
      server.off("error", refused);
      // An error of a single connection: the system may be short of memory, or a filter has refused it.
      server.on("error", ({ message: reason }) => {
        const what = "a connection could not be accepted";
        paced.warn(what, what, { reason });
      });
      resolve();
    });
  });
}

/**
 * No client sends more requests than this before it has the response to an earlier one: it would be an attack on the
 * memory.
 */
const MAX_PIPELINED = 100;

/** How many requests of one connection begin in one turn of the event loop, if they are answered at once. */
const MAX_OF_TURN = 10;

interface Pipelined {
  /** The response to the last request. */
  last: ServerResponse;
  /** How many requests wait for their turn. */
  waiting: number;
  /** How many began in this turn of the event loop. */
  begun: number;
}

/**
 * Handles the requests of a connection one after the other, as RFC 9112, section 9.3.2, requires for methods that are
 * not safe. A pipelined request begins only after the response before it. Otherwise the gateway would work for
 * clients that have disconnected: Node.js reports a closed connection only to the current response, and any other
 * would stay open forever.
 */
export function handleInOrder(handle: RequestListener): RequestListener {
  const connections = new WeakMap<Socket, Pipelined>();
  return (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    const pipelined = connections.get(socket);
    if (pipelined === undefined) {
      connections.set(socket, { last: response, waiting: 0, begun: 0 });
      handle(request, response);
      return;
    }
    const begin = (): void => {
      pipelined.waiting -= 1;
      // The request is also skipped if the response before it was the last one, as with `Connection: close`.
      if (response.socket !== null && !socket.destroyed) handle(request, response);
    };
    const before = pipelined.last;
    pipelined.last = response;
    pipelined.waiting += 1;
    // A response without a socket must wait until the response before it is finished.
    if (response.socket !== null) inShortTurns(pipelined, begin);
    else if (pipelined.waiting > MAX_PIPELINED) socket.destroy();
    else before.once("close", () => inShortTurns(pipelined, begin));
  };
}

/** Begins a request now, or in a later turn of the event loop if many requests of its connection began in this one. */
function inShortTurns(pipelined: Pipelined, begin: () => void): void {
  if (pipelined.begun === MAX_OF_TURN) {
    setImmediate(inShortTurns, pipelined, begin);
    return;
  }
  if (pipelined.begun === 0) setImmediate(() => (pipelined.begun = 0));
  pipelined.begun += 1;
  begin();
}

/** Responses that may have no end: streams of events, subscriptions, long downloads. */
class OpenStreams {
  readonly #open: Set<ServerResponse> = new Set();

  /** Tracks a response until it ends. */
  add(response: ServerResponse): void {
    if (response.closed) return;
    this.#open.add(response);
    response.on("close", () => this.#open.delete(response));
  }

  /** Ends responses that have begun. Their clients may request them again. */
  end(): void {
    for (const response of [...this.#open]) if (response.headersSent) response.destroy();
  }
}

/** How long a client may take, in milliseconds. Responses and streams may take any time. */
interface RequestTimes {
  /** From the connection, or the end of the response before, to the end of a request's header. */
  readonly header: number;
  /** From the end of a response to the end of its request, the rest of which is dropped. */
  readonly unread: number;
  /** How often connections are checked. */
  readonly check: number;
}

const REQUEST_TIMES: RequestTimes = {
  header: 15_000,
  unread: 60_000,
  check: 5_000,
};
/** Largest header of a request, in bytes. */
const MAX_HEADER_BYTES = 16_384;
/** The same for requests that may have an access token of up to 16 KiB. */
const WITH_TOKEN_BYTES = 32_768;

/** Returns Node's options for these limits and times, including a limit for headers. No repeated header is dropped. */
function serverOptions(options: ListenerOptions, takesTokens: boolean): ServerOptions {
  const { times = REQUEST_TIMES, idleMs } = options;
  return {
    headersTimeout: times.header,
    // The code that reads a body limits its time; see UnfinishedBodies.
    requestTimeout: 0,
    keepAliveTimeout: idleMs,
    connectionsCheckingInterval: times.check,
    maxHeaderSize: takesTokens ? WITH_TOKEN_BYTES : MAX_HEADER_BYTES,
    // If a header such as Host occurs twice, a proxy in front may have checked one value while Node uses the other.
    joinDuplicateHeaders: true,
  };
}

/** Why the gateway cannot listen at an address. */
export const LISTEN_ERRORS = {
  ADDRESS_IN_USE: [503, "Another process listens on the port"],
  ADDRESS_FORBIDDEN: [503, "This user may not listen on the port"],
  ADDRESS_UNKNOWN: [503, "This machine has no such address"],
  LISTEN_FAILED: [503, "The system refused for another reason; the message names it"],
} as const;

/** The gateway cannot listen at an address. */
export class ListenError extends TouchstoneError<keyof typeof LISTEN_ERRORS> {
  constructor(code: keyof typeof LISTEN_ERRORS, message: string) {
    super("ListenError", LISTEN_ERRORS, code, message);
  }
}

/** Returns what is wrong with an address, and how to fix it. */
export function listenError(error: NodeJS.ErrnoException, host: string, port: number): ListenError {
  const made = (code: keyof typeof LISTEN_ERRORS, what: string): ListenError =>
    new ListenError(code, `cannot listen on ${host}:${port}: ${what}`);
  switch (error.code) {
    case "EADDRINUSE":
      return made("ADDRESS_IN_USE", "the port is in use. Choose another with --listen");
    case "EACCES":
      return made("ADDRESS_FORBIDDEN", `${notAllowed(port)}. Choose another with --listen`);
    case "ENOTFOUND":
    case "EADDRNOTAVAIL":
      return made("ADDRESS_UNKNOWN", "this machine has no such address");
    default:
      return made("LISTEN_FAILED", error.message);
  }
}

function notAllowed(port: number): string {
  return port < 1024 ? "ports below 1024 need more rights" : "the system does not allow it";
}
