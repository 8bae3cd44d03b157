export {
  addToShape,
  emptyShape,
  type Shape,
  shapeBudgetFor,
} from "@touchstone/records/plain";
export type { DriftFinding } from "./features/drift/schemas.ts";
export { shapeDifferences } from "./features/drift/shape-differences.ts";
export { CaptureError } from "./insight/capture/errors.ts";
export { valuesOf } from "./mock/nearest-call.ts";
export type { CaptureGaps, Exchange, RecordedMessage, Recordings } from "./mock/recordings.ts";
export { matchesRedacted } from "./mock/redacted-match.ts";
export { comparableText } from "./mock/request-key.ts";
export { type MockSource, readSource } from "./mock/source.ts";
