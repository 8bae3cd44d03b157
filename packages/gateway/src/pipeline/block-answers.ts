import type { Issue } from "@touchstone/core";
import { ERROR_CODES } from "@touchstone/protocol";
import type { ActivityEntry } from "../activity/record.ts";
import type { Verdict } from "../policy/decide.ts";
import type { PendingRequest } from "./inflight.ts";
import { issuesError } from "./refusal.ts";
import { type Finding, settle } from "./settle.ts";
import type { PipelineState } from "./state.ts";

/** Why answers do not go on. */
export interface AnswerFault {
  readonly verdict: Verdict;
  readonly faults: readonly Issue[];
  readonly reason: string;
}

/** Makes the records of a fault of the server's, tells the log, and ends the calls that it was the answer to. */
export function recordFault(
  state: PipelineState,
  requests: readonly PendingRequest[],
  { verdict, faults, reason }: AnswerFault,
): ActivityEntry[] {
  const calls = requests.flatMap(({ call }) => call ?? []);
  const entries: ActivityEntry[] = [];
  const finding: Finding = {
    ...{ direction: "protocol", verdict, issues: faults, reason: () => reason, calls },
  };
  settle(state, finding, entries);
  for (const lost of calls) state.evidence.endCall(lost, "blocked", {}, entries);
  return entries;
}

/** An error for each request whose answer does not go on. */
export function answerErrors(
  requests: readonly PendingRequest[],
  { faults, reason }: AnswerFault,
): Uint8Array[] {
  return requests.map(({ id, operation }) => {
    const error = issuesError(id, ERROR_CODES.internalError, `touchstone: ${reason}`, faults);
    operation?.released(error);
    return error;
  });
}
