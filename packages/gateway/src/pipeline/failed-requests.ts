import { ERROR_CODES, errorFrame } from "@touchstone/protocol";
import type { ActivityEntry } from "../activity/record.ts";
import type { PendingRequest } from "./inflight.ts";
import type { PipelineState } from "./state.ts";

/**
 * Ends requests whose answers will not come: each call gets its record.
 * @param status of the calls: `rejected` where a limit keeps them from their server
 * @returns an error on the id of each, for the client
 */
export async function failRequests(
  state: PipelineState,
  requests: readonly PendingRequest[],
  reason: string,
  status: "error" | "rejected" = "error",
): Promise<Uint8Array[]> {
  const entries: ActivityEntry[] = [];
  const answers: Uint8Array[] = [];
  for (const { id, call, operation } of requests) {
    const answer = errorFrame(id, ERROR_CODES.internalError, `touchstone: ${reason}`);
    operation?.failed("connection_lost", answer);
    answers.push(answer);
    if (call === undefined || call.recorded) continue;
    entries.push(state.evidence.toolCall(call, status, { bytes: answer.length, reason }));
    call.recorded = true;
  }
  await state.append(entries);
  return answers;
}
