import type { Readable } from "node:stream";
import { concatBytes } from "../lines.ts";

/** A body grew beyond its limit. */
export class BodyTooLargeError extends Error {
  readonly limit: number;
  constructor(limit: number) {
    super(`the body is larger than the limit of ${limit} bytes`);
    this.name = "BodyTooLargeError";
    this.limit = limit;
  }
}

/**
 * Reads a whole body. Where that fails the stream is left as it is: destroying a request would take
 * its connection with it, and the answer that tells why.
 * @throws BodyTooLargeError as soon as it is larger than `limit` bytes
 */
export async function readBody(stream: Readable, limit: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  const chunks = stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > limit) throw new BodyTooLargeError(limit);
    parts.push(chunk);
  }
  return concatBytes(parts);
}
