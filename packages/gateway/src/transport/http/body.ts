import type { Readable } from "node:stream";
import { Pieces } from "../../pieces.ts";

/** A body grew beyond its limit. */
export class BodyTooLargeError extends Error {
  readonly limit: number;
  /** How much of it had come when it was given up, in bytes. */
  readonly size: number;
  /** What had come. */
  readonly parts: Uint8Array[];
  constructor(limit: number, size: number, parts: Uint8Array[]) {
    super(`the body is larger than the limit of ${limit} bytes`);
    this.name = "BodyTooLargeError";
    this.limit = limit;
    this.size = size;
    this.parts = parts;
  }
}

/**
 * Reads a whole body. Where that fails the stream is left as it is: destroying a request would take
 * its connection with it, and the answer that tells why.
 * @throws BodyTooLargeError as soon as it is larger than `limit` bytes
 */
export function readBody(stream: Readable, limit: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const pieces = new Pieces();
    let over = false;
    const fail = (error: Error): void => {
      over = true;
      stream.off("data", take);
      reject(error);
    };
    const close = (): void => {
      if (!over) fail(new Error("the connection was closed in the middle of the body"));
    };
    const end = (): void => {
      over = true;
      // The listeners stay as long as the stream, which may be that of an answer without an end.
      resolve(pieces.take());
    };
    const take = (chunk: Uint8Array): void => {
      pieces.push(chunk);
      if (pieces.size <= limit) return;
      stream.pause();
      fail(new BodyTooLargeError(limit, pieces.size, pieces.parts));
    };
    if (stream.errored) reject(stream.errored);
    else if (stream.readableEnded) resolve(new Uint8Array(0));
    else if (stream.destroyed) close();
    // An iterator over the stream would cost several times as much as the bytes themselves.
    else stream.on("data", take).on("end", end).on("error", fail).on("close", close);
  });
}
