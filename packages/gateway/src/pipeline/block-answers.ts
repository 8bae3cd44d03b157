import type { Issue } from "@touchstone/core";
import { ERROR_CODES } from "@touchstone/protocol";
import type { ActivityEntry } from "../activity/record.ts";
import type { Verdict } from "../policy/decide.ts";
import { heavier, objection } from "./evidence.ts";
import type { PendingRequest } from "./inflight.ts";
import { issuesError } from "./refusal.ts";
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
  const { evidence } = state;
  const calls = requests.flatMap(({ call }) => call ?? []);
  const call = calls.length === 1 ? calls[0] : undefined;
  const entries: ActivityEntry[] = [];
  if (verdict.record) entries.push(evidence.protocolDecision(verdict, faults, reason, call));
  for (const lost of calls) {
    lost.verdict = heavier(lost.verdict, objection(verdict, "protocol", reason));
    if (!lost.recorded) entries.push(evidence.toolCall(lost, "blocked", {}));
    lost.recorded = true;
    lost.arguments = undefined;
  }
  if (verdict.decision !== "allowed") {
    state.report(verdict.decision, "protocol", call?.tool, reason);
  }
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
