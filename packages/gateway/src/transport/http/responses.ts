import type { OutgoingHttpHeaders } from "node:http";
import { ERROR_CODES, errorFrame } from "@touchstone/protocol/advanced";
import type { HttpResponse } from "./http-message.ts";

/**
 * Ends a response with a JSON body, unless it has begun or its client is gone.
 * @param headers of this response; headers about the body are added
 */
export function sendJson(
  response: HttpResponse,
  status: number,
  body: Uint8Array,
  headers: OutgoingHttpHeaders = {},
): void {
  if (response.headersSent || response.destroyed) return;
  headers["content-type"] ??= "application/json";
  headers["content-length"] = body.length;
  response.writeHead(status, headers);
  response.end(body);
}

/** Responds with a JSON-RPC error, on the request's id if it is known. */
export function sendError(
  response: HttpResponse,
  status: number,
  message: string,
  options: {
    readonly id?: string | undefined;
    readonly code?: number;
    readonly headers?: Readonly<Record<string, string>>;
    readonly data?: unknown;
  } = {},
): void {
  if (response.headersSent || response.destroyed) return;
  const code = options.code ?? ERROR_CODES.invalidRequest;
  const body = errorFrame(options.id ?? null, code, message, options.data);
  response.writeHead(status, {
    ...options.headers,
    "content-type": "application/json",
    "content-length": body.length,
  });
  response.end(body);
}

/** How often a stream of events gets a comment. Proxies and balancers cut connections that are silent for a minute. */
const KEEP_ALIVE_MS = 15_000;
const COMMENT = Buffer.from(": \n\n");

/**
 * Writes a comment to an open stream of events every 15 seconds, so that no proxy considers it dead (HTML, section
 * 9.2.7). Code that writes events must write each one at once: a comment may follow each write.
 */
export function keepAlive(response: HttpResponse): void {
  // If the client has already disconnected, no "close" event follows.
  if (response.closed) return;
  const timer = setInterval(() => {
    // A pending write already keeps the stream alive, and each write restarts the timer that detects clients that do
    // not read.
    if (!response.writableEnded && !response.writableNeedDrain) response.write(COMMENT);
  }, KEEP_ALIVE_MS);
  response.once("close", () => clearInterval(timer));
}

/** How long to wait for a client that does not read, at least, in milliseconds, if others wait for it. */
export const STALL_MS = 30_000;

/**
 * Resolves when a response has room for more, or is over.
 * @param stalled called if its client has read nothing for at least 30 seconds; a slow reader is not stalled
 */
export function waitForDrain(response: HttpResponse, stalled?: () => void): Promise<void> {
  if (response.closed || !response.writableNeedDrain) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      // A stream that is open for days waits many times, so the listeners are removed.
      response.off("drain", done).off("close", done);
      if (stalled !== undefined) response.off("timeout", stalled).setTimeout(0);
      resolve();
    };
    response.on("drain", done).on("close", done);
    // The socket knows whether bytes were sent; Node's buffer does not show that.
    if (stalled !== undefined) response.on("timeout", stalled).setTimeout(STALL_MS);
  });
}

/** Ends a response with its remaining bytes. If the client reads none of them for 30 seconds, they are dropped. */
export function endResponse(response: HttpResponse, body: Uint8Array): void {
  response.end(body);
  const { socket } = response;
  if (socket === null || socket.writableLength === 0) return;
  const before = socket.timeout ?? 0;
  response.on("timeout", () => response.destroy()).setTimeout(STALL_MS);
  // Runs before Node's own listener, which sets the timeout of an idle connection.
  response.prependOnceListener("finish", () => response.setTimeout(before));
}
