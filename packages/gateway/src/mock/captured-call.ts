import type { FaultKind } from "./fault-options.ts";
import type { MockedCall } from "./mock-server.ts";

/** A tool call that a mock has received. */
export interface CapturedCall {
  readonly tool: string;
  readonly arguments: unknown;
  /** Whether the response was recorded. If not, it was generated, or is an error. */
  readonly isRecorded: boolean;
  /** What the mock did wrong in the response. */
  readonly faults: readonly FaultKind[];
}

/** Returns a call with its arguments as a value. */
export function capturedCall({
  tool,
  arguments: text,
  isRecorded,
  faults,
}: MockedCall): CapturedCall {
  const kinds = faults.map(({ kind }) => kind);
  return { tool, arguments: JSON.parse(text), isRecorded, faults: kinds };
}
