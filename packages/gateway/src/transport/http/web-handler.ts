import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream as NodeReadableStream } from "node:stream/web";
import { STALL_MS } from "./responses.ts";

/** Methods that a `Request` cannot have (Fetch Standard, section 2.2.1, forbidden methods). */
const FORBIDDEN: ReadonlySet<string> = new Set(["CONNECT", "TRACE", "TRACK"]);

/** Answers requests that have no body. */
export type WebHandler = (request: Request) => Promise<Response>;

/**
 * Lets a fetch handler answer a Node request without its body. A client that leaves aborts the
 * request's signal; one that reads slowly holds the answer back, and one that reads nothing for long is given
 * up: what it holds of the handler, others wait for.
 * @param stallMs for how long nothing may get through at least, in milliseconds, where there is something to send
 */
export async function answerBy(
  handler: WebHandler,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  stallMs: number = STALL_MS,
): Promise<void> {
  const { method = "GET" } = incoming;
  if (FORBIDDEN.has(method)) {
    const error = `${method} is not allowed here; use GET, HEAD.`;
    outgoing.writeHead(405, { allow: "GET, HEAD", "content-type": "application/json" });
    outgoing.end(JSON.stringify({ error, code: "METHOD_NOT_ALLOWED" }));
    return;
  }
  const left = new AbortController();
  outgoing.once("close", () => left.abort());
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (typeof value === "string") headers.set(name, value);
  }
  const request = new Request(new URL(incoming.url ?? "/", "http://localhost"), {
    method,
    headers,
    signal: left.signal,
  });
  const response = await handler(request);
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  if (response.body === null || method === "HEAD") {
    outgoing.end();
    return;
  }
  outgoing.setTimeout(stallMs, () => {
    if (outgoing.writableLength > 0) outgoing.destroy();
  });
  try {
    await pipeline(Readable.fromWeb(response.body as NodeReadableStream), outgoing);
  } catch (error) {
    // Whoever leaves in the middle has no need of the rest.
    if (!left.signal.aborted) throw error;
  }
}
