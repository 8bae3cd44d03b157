import { arrayItems, type JsonRange } from "@touchstone/core";
import type { Frame } from "./frame.ts";

/**
 * The messages of a JSON-RPC batch (JSON-RPC 2.0, section 6; MCP 2025-03-26 only), one byte range
 * each and in order, found as they are asked for. A frame of another kind has none.
 */
export function* batchItems(frame: Frame): Generator<JsonRange, void, undefined> {
  if (frame.kind === "batch") yield* arrayItems(frame.bytes, frame.scan.root);
}
