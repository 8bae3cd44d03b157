import { brokenBatchSteps, type Frame, readableIdSteps } from "@touchstone/protocol/advanced";
import { MAX_BATCH } from "./batch.ts";

/**
 * Reads, in steps, what transport, pipeline and records look for in a frame that is not JSON: its id at its end, and
 * the messages of a batch. They then find it at once.
 */
export function* readBrokenFrameSteps(frame: Frame): Generator<void, void, void> {
  if (frame.scan.error === undefined) return;
  yield* readableIdSteps(frame);
  yield* brokenBatchSteps(frame, MAX_BATCH);
}
