import { arrayItems, type JsonRange } from "@touchstone/core";
import type { Frame } from "./frame.ts";

const OPEN_OBJECT = 0x7b;
/** The least that asks or answers is some bytes longer: `{"id":1,"error":{}}`. */
const LEAST_BYTES = 16;

/**
 * The messages of a JSON-RPC batch (JSON-RPC 2.0, section 6; MCP 2025-03-26 only), one byte range
 * each and in order, found as they are asked for. A frame of another kind has none.
 */
export function* batchItems(frame: Frame): Generator<JsonRange, void, undefined> {
  if (frame.kind === "batch") yield* arrayItems(frame.bytes, frame.scan.root);
}

/**
 * Returns whether an item of a batch may ask or answer, by its size and kind alone. A batch has room for millions of
 * others, each of which would take its time, and memory, to be read.
 * @param bytes of the batch
 */
export function mayAsk(bytes: Uint8Array, { start, end }: JsonRange): boolean {
  return end - start >= LEAST_BYTES && bytes[start] === OPEN_OBJECT;
}

/** Those of a batch's items that may ask or answer, as {@link mayAsk} tells. */
export function* askingItems(frame: Frame): Generator<JsonRange, void, undefined> {
  for (const item of batchItems(frame)) if (mayAsk(frame.bytes, item)) yield item;
}
