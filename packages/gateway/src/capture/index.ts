export { CaptureError } from "./open.ts";
export { type ReplaySettings, replayCapture } from "./replay.ts";
export type { ReplayDecision, ReplayEvent } from "./replay-event.ts";
