import type { ServerResponse } from "node:http";

/** How long a client that reads nothing is waited for, in milliseconds. */
const STALL_MS = 60_000;

/** Ends the connection of a client that reads nothing; one that reads slowly reads. */
function giveUpAfter(ms: number, response: ServerResponse): void {
  const before = response.socket?.timeout ?? 0;
  response.on("timeout", () => response.destroy());
  response.setTimeout(ms);
  // Before the server sets how long it keeps a connection without requests.
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
  // Also while nothing comes: a stream may be silent for long.
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
 * Sends a response through Node's. Never rejects: one that fails midway ends the connection, and so does
 * one of which nothing was read for so long. A body that nobody reads to the end is cancelled.
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
  // What is written as the client leaves has nowhere to go, which is not a fault.
  response.on("error", () => {});
  try {
    await copy(answer, response);
  } catch {
    response.destroy();
  }
}
