import type { ServerResponse } from "node:http";

/** How long to wait for a client that does not read, in milliseconds. */
const STALL_MS = 60_000;

/** Ends the connection of a client that has stopped reading; a slow reader is not ended. */
function giveUpAfter(ms: number, response: ServerResponse): void {
  const before = response.socket?.timeout ?? 0;
  response.on("timeout", () => response.destroy());
  response.setTimeout(ms);
  // Runs before the server's own listener, which sets how long it keeps a connection without requests.
  response.prependOnceListener("finish", () => response.setTimeout(before));
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off("drain", done);
      response.off("close", done);
      resolve();
    };
    response.on("drain", done);
    response.on("close", done);
  });
}

async function copy(answer: Response, response: ServerResponse): Promise<void> {
  const reader = answer.body?.getReader();
  // Cancels the body as soon as the connection closes, even if there is nothing to send: a stream may be silent for
  // long.
  response.once("close", () => void reader?.cancel().catch(() => {}));
  const headers: Record<string, string | string[]> = Object.fromEntries(answer.headers);
  const cookies = answer.headers.getSetCookie();
  if (cookies.length > 0) headers["set-cookie"] = cookies;
  response.writeHead(answer.status, headers);
  while (reader !== undefined) {
    const { done, value } = await reader.read();
    if (done || response.destroyed) break;
    if (!response.write(value)) await drained(response);
  }
  response.end();
}

/**
 * Writes a response to Node's response object. Never rejects: if it fails midway, or the client reads nothing for
 * `stallMs`, the connection ends. A body that is not read to the end is canceled.
 */
export async function writeResponse(
  answer: Response,
  response: ServerResponse,
  stallMs: number = STALL_MS,
): Promise<void> {
  if (response.destroyed || response.headersSent) {
    await answer.body?.cancel().catch(() => {});
    return;
  }
  giveUpAfter(stallMs, response);
  // Writing after the client has left causes an error, which is not a fault.
  response.on("error", () => {});
  try {
    await copy(answer, response);
  } catch {
    response.destroy();
  }
}
