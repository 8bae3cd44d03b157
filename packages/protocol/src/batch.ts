import { arrayItems, type JsonRange } from "@touchstone/core/advanced";
import type { Frame } from "./frame.ts";

const OPEN_OBJECT = 0x7b;
/** Shorter items cannot be requests or responses: the shortest one, `{"id":1,"error":{}}`, is a few bytes longer. */
const LEAST_BYTES = 16;

/**
 * Yields the byte range of each message of a JSON-RPC batch (JSON-RPC 2.0, section 6; MCP 2025-03-26 only), in order
 * and lazily. Yields nothing for a frame of another kind.
 */
export function* batchItems(frame: Frame): Generator<JsonRange, void, undefined> {
  if (frame.kind === "batch") yield* arrayItems(frame.bytes, frame.scan.root);
}

/**
 * Returns whether an item of a batch may be a request or a response, judged only by its size and first byte. A batch
 * has room for millions of other items, and reading each would cost time and memory.
 * @param bytes of the batch
 */
export function mayBeRequestItem(bytes: Uint8Array, { start, end }: JsonRange): boolean {
  return end - start >= LEAST_BYTES && bytes[start] === OPEN_OBJECT;
}

/** Yields the items of a batch that may be requests or responses, as judged by {@link mayBeRequestItem}. */
export function* requestItems(frame: Frame): Generator<JsonRange, void, undefined> {
  for (const item of batchItems(frame)) if (mayBeRequestItem(frame.bytes, item)) yield item;
}
