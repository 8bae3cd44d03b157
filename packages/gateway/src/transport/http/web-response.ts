import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream as NodeReadableStream } from "node:stream/web";
import { endWith, STALL_MS } from "./responses.ts";

/**
 * Sends a response of the Fetch standard through Node's. Its body is cancelled when the client leaves. A client that reads
 * slowly holds the body back, and one that reads nothing for long is given up: others wait for what it holds.
 * @param stallMs for how long nothing may get through at least, in milliseconds, while there is something to send
 * @throws the body's own error
 */
export async function sendResponse(
  response: Response,
  outgoing: ServerResponse,
  stallMs: number = STALL_MS,
): Promise<void> {
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  if (response.body === null) {
    outgoing.end();
    return;
  }
  // A body of known length is there already, and to stream it costs several times as much.
  if (response.headers.has("content-length")) {
    endWith(outgoing, Buffer.from(await response.arrayBuffer()));
    return;
  }
  outgoing.setTimeout(stallMs, () => {
    if (outgoing.writableLength > 0) outgoing.destroy();
  });
  try {
    await pipeline(Readable.fromWeb(response.body as NodeReadableStream), outgoing);
  } catch (error) {
    // Whoever leaves in the middle does not need the rest.
    if (!outgoing.closed) throw error;
  }
}
