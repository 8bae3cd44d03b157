import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import { batchItems, type CutMessage, readFrame } from "@touchstone/protocol";
import { concatBytes } from "../../util/concat-bytes.ts";
import { BodyTooLargeError } from "./body.ts";
import { SseTooLargeError } from "./sse.ts";

const OPEN = Buffer.from("[");
const COMMA = Buffer.from(",");
const CLOSE = Buffer.from("]");

/**
 * One answer as it is; several, or those to a batch, as one JSON-RPC batch, into which batches
 * among them are taken item by item.
 */
export function joinAnswers(answers: readonly Uint8Array[], batch: boolean): Uint8Array {
  const [only] = answers;
  if (only !== undefined && answers.length === 1) {
    if (!batch || readFrame(only).kind === "batch") return only;
  }
  const items = answers
    .flatMap(itemsOf)
    .flatMap((answer, i) => (i === 0 ? [answer] : [COMMA, answer]));
  return concatBytes([OPEN, ...items, CLOSE]);
}

function itemsOf(answer: Uint8Array): Uint8Array[] {
  const frame = readFrame(answer);
  if (frame.kind !== "batch") return [answer];
  return [...batchItems(frame)].map(({ start, end }) => answer.subarray(start, end));
}

/**
 * Ends a response with a JSON body, unless it has begun or is gone.
 * @param headers of this answer alone: those that belong to the body are added to them
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

const NOTHING = new Uint8Array(0);

/** The upstream could not be reached, or did not answer as HTTP asks. */
export class UpstreamError extends Error {
  override readonly name: string = "UpstreamError";
}

/** The upstream has answered, and nobody can read a message in that. */
export class UnreadableError extends UpstreamError {}

/** Why there is no answer of an upstream's to be brought back. */
export interface Failure {
  /** One line for people. */
  readonly reason: string;
  /**
   * What there is of a body or event that grew beyond the limit: its size, as far as it was read. What it
   * answers is told by its HTTP exchange.
   */
  readonly cut?: CutMessage;
  /** An answer came, and cannot be read. */
  readonly unreadable?: boolean;
}

/** What zlib says of data that are not in the coding that they are said to be in, by the error's code. */
const CODING = /^(Z_|ERR__|ERR_BROTLI|ZSTD_)/;

function isCodingError(error: unknown): boolean {
  const { code } = error as { readonly code?: unknown };
  return error instanceof Error && typeof code === "string" && CODING.test(code);
}

/** What an error while an answer was awaited or read says of it. */
export function failureOf(error: unknown): Failure {
  const reason = error instanceof Error ? error.message : String(error);
  if (error instanceof UnreadableError) return { reason, unreadable: true };
  if (isCodingError(error)) {
    const text = `the server's answer is not in the content encoding that it names: ${reason}`;
    return { reason: text, unreadable: true };
  }
  const tooLarge = error instanceof BodyTooLargeError || error instanceof SseTooLargeError;
  return tooLarge
    ? { reason, cut: { head: NOTHING, tail: NOTHING, size: error.size } }
    : { reason };
}
