import type { OutgoingHttpHeaders, ServerResponse } from "node:http";

/**
 * Ends a response with a JSON body, unless it has begun or is gone.
 * @param headers of this response alone: those that belong to the body are added to them
 */
export function sendJson(
  response: ServerResponse,
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

/** How long a client that reads nothing is waited for at least, in milliseconds, where others wait for it. */
export const STALL_MS = 30_000;

/**
 * Resolves when a response has room for more, or is over.
 * @param stalled called when its client has read nothing for 30 seconds at least; one that reads slowly reads
 */
export function roomIn(response: ServerResponse, stalled?: () => void): Promise<void> {
  if (response.closed || !response.writableNeedDrain) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      // A stream of days waits many times.
      response.off("drain", done).off("close", done);
      if (stalled !== undefined) response.off("timeout", stalled).setTimeout(0);
      resolve();
    };
    response.on("drain", done).on("close", done);
    // Sockets look whether anything got through, which a buffer of Node's does not tell.
    if (stalled !== undefined) response.on("timeout", stalled).setTimeout(STALL_MS);
  });
}

/** Ends a response with all that is left of it. A client that then reads none of it for 30 seconds loses it. */
export function endWith(response: ServerResponse, body: Uint8Array): void {
  response.end(body);
  const { socket } = response;
  if (socket === null || socket.writableLength === 0) return;
  const before = socket.timeout ?? 0;
  response.on("timeout", () => response.destroy()).setTimeout(STALL_MS);
  // Before the server sets how long it keeps a connection without requests.
  response.prependOnceListener("finish", () => response.setTimeout(before));
}
