import { brokenBatchSteps, type Frame, readableIdSteps } from "@touchstone/protocol/advanced";
import { MAX_BATCH } from "./batch.ts";

/**
 * Reads, in steps, what the transport, the pipeline and the records need from a frame that is not JSON: its id at its
 * end, and the messages of a batch. Later lookups of these facts then take no time.
 */
export function* readBrokenFrameSteps(frame: Frame): Generator<void, void, void> {
  if (frame.scan.error === undefined) return;
  yield* readableIdSteps(frame);
  yield* brokenBatchSteps(frame, MAX_BATCH);
}
