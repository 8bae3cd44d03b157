import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { stackOf } from "@touchstone/core";
import { TouchstoneError } from "../../util/errors.ts";
import type { Logger } from "../../util/log.ts";
import { orAfter } from "../../util/or-after.ts";
import { PacedLog } from "../../util/paced-log.ts";
import { sendError, UnderWay } from "./endpoint.ts";
import { pathOf, type RouteOptions, route } from "./routes.ts";

export interface ListenerOptions extends RouteOptions {
  readonly host: string;
  readonly port: number;
  /** Default {@link REQUEST_TIMES}. */
  readonly times?: RequestTimes;
  readonly log: Logger;
}

/** A gateway that listens. */
export interface Listener {
  readonly host: string;
  readonly port: number;
  /** Takes no new connection, ends the open ones and every endpoint. */
  close(): Promise<void>;
  /**
   * Takes no new connection, and ends the open ones once everything on them is answered, or the
   * signal is aborted. The endpoints go on.
   */
  leave(signal: AbortSignal): Promise<void>;
  /** Breaks off what is streamed, which was asked for under other rules. What is under way is answered. */
  endStreams(): void;
}

/** How long the last answers may take to get to their clients, which may read nothing. */
const LAST_ANSWERS_MS = 1_000;

/** Starts an HTTP server that has one Streamable HTTP endpoint for each upstream. */
export async function listen(options: ListenerOptions): Promise<Listener> {
  let handling = 0;
  const waiting: (() => void)[] = [];
  const underWay = new UnderWay();
  const streams = new OpenStreams();
  const answer: RequestListener = (request, response) => {
    // A GET of a stream has no end of its own, and all others are answered at once.
    const ends = request.method === "POST" && underWay.add(request, response);
    if (!ends) streams.add(response);
    handling += 1;
    const over = (): void => {
      handling -= 1;
      if (handling === 0) for (const resolve of waiting.splice(0)) resolve();
    };
    route(request, response, options).then(over, (error: unknown) => {
      over();
      failed(error, request, response, options.log);
    });
  };
  const server = createServer(
    serverOptions(options.times, options.access.tokens !== undefined),
    inTurn(answer),
  );
  await started(server, options);
  const { port, address } = server.address() as AddressInfo;
  const leave = async (answered: Promise<unknown>): Promise<void> => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeIdleConnections();
    await answered;
    server.closeAllConnections();
    await closed;
    // Their last records are written before the caller closes the store.
    if (handling === 0) return;
    await new Promise<void>((resolve) => waiting.push(resolve));
  };
  // Requests whose server has ended get an error, which goes out once it is recorded.
  const ended = async (): Promise<void> => {
    await Promise.all([...options.endpoints.values()].map((each) => each.close()));
    await orAfter(LAST_ANSWERS_MS, underWay.settled(new AbortController().signal), () => {});
  };
  return {
    host: address,
    port,
    close: () => leave(ended()),
    leave: (signal) => leave(underWay.settled(signal)),
    endStreams: () => streams.end(),
  };
}

function failed(
  error: unknown,
  request: IncomingMessage,
  response: ServerResponse,
  log: Logger,
): void {
  // A client that leaves in the middle of its body is not a fault of ours.
  if (request.destroyed && !request.complete) {
    log.debug("a client left before its request was whole");
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
      // Of a single connection; the system may be short of memory, or a filter have refused it.
      server.on("error", ({ message: reason }) => {
        const what = "a connection could not be taken";
        paced.warn(what, what, { reason });
      });
      resolve();
    });
  });
}

/** More requests than this behind one that is not answered are not clients's, but an attack on the memory. */
const MAX_PIPELINED = 100;

interface Pipelined {
  /** The response to the request that came last. */
  last: ServerResponse;
  /** How many requests wait for their turn. */
  waiting: number;
}

/**
 * Handles the requests of each connection one after the other, as RFC 9112, section 9.3.2, asks of those that
 * are not safe. One that is pipelined behind another is not begun before that is answered. So nothing is done
 * for a client that is gone by then: Node.js tells only the response whose turn it is that its connection has
 * closed, and any other would be under way forever.
 */
export function inTurn(handle: RequestListener): RequestListener {
  const connections = new WeakMap<Socket, Pipelined>();
  return (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    const pipelined = connections.get(socket);
    if (pipelined === undefined) {
      connections.set(socket, { last: response, waiting: 0 });
      handle(request, response);
      return;
    }
    const before = pipelined.last;
    pipelined.last = response;
    // It has the connection, unless another has it still.
    if (response.socket !== null) {
      handle(request, response);
      return;
    }
    pipelined.waiting += 1;
    if (pipelined.waiting > MAX_PIPELINED) {
      socket.destroy();
      return;
    }
    before.once("close", () => {
      pipelined.waiting -= 1;
      // Nor where the response before was the last one, as `Connection: close` asks for.
      if (response.socket !== null && !socket.destroyed) handle(request, response);
    });
  };
}

/** The responses that may have no end of their own: streams of events, subscriptions, long downloads. */
class OpenStreams {
  readonly #open: Set<ServerResponse> = new Set();

  /** Notes a response until it is over. */
  add(response: ServerResponse): void {
    if (response.closed) return;
    this.#open.add(response);
    response.on("close", () => this.#open.delete(response));
  }

  /** Breaks off those that have begun; their clients may ask for them again. */
  end(): void {
    for (const response of [...this.#open]) if (response.headersSent) response.destroy();
  }
}

/** How long a client may take, in milliseconds. Answers and streams may take any time. */
interface RequestTimes {
  /** From the connection, or the end of the response before, to the end of a request's header. */
  readonly header: number;
  /** To the end of its body. */
  readonly request: number;
  /** Between two requests on one connection. */
  readonly idle: number;
  /** How often connections are looked at. */
  readonly check: number;
}

const REQUEST_TIMES: RequestTimes = {
  header: 15_000,
  request: 60_000,
  idle: 5_000,
  check: 5_000,
};
/** Largest header of a request, in bytes. */
const MAX_HEADER_BYTES = 16_384;
/** The same if it may have an access token, which has 16 KiB at most by itself. */
const WITH_TOKEN_BYTES = 32_768;

/** The same for Node, with the bound on headers, of which none is left out if it comes twice. */
function serverOptions(
  { header, request, idle, check }: RequestTimes = REQUEST_TIMES,
  takesTokens: boolean,
): ServerOptions {
  return {
    headersTimeout: header,
    requestTimeout: request,
    keepAliveTimeout: idle,
    connectionsCheckingInterval: check,
    maxHeaderSize: takesTokens ? WITH_TOKEN_BYTES : MAX_HEADER_BYTES,
    // Of two, as Host, a proxy in front may have checked the one and Node would show the other.
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

/** Returns what is wrong with an address, and what to do. */
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
