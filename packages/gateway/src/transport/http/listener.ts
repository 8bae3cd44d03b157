import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import type { Logger } from "../../log.ts";
import { orAfter } from "../../or-after.ts";
import { PacedLog } from "../../paced-log.ts";
import { sendError } from "./endpoint.ts";
import { inTurn } from "./in-turn.ts";
import { listenError } from "./listen-error.ts";
import { OpenStreams } from "./open-streams.ts";
import { pathOf } from "./request-target.ts";
import { type RequestTimes, serverOptions } from "./request-times.ts";
import { type RouteOptions, route } from "./route.ts";
import { UnderWay } from "./under-way.ts";

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
  const server = createServer(serverOptions(options.times), inTurn(answer));
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
