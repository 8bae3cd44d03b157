export { CaptureError } from "./open.ts";
export {
  type ReplayDecision,
  type ReplayEvent,
  type ReplaySettings,
  replayCapture,
} from "./replay.ts";
