import type { ActivityEntry } from "../activity/record.ts";
import type { PendingRequest } from "./in-flight.ts";
import { failed } from "./messages.ts";
import { recordedElsewhere } from "./shared-requests.ts";
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
  const unsure: Promise<void>[] = [];
  for (const request of requests) {
    const { id, call, operation } = request;
    const answer = failed(id, reason);
    operation?.failed("connection_lost", answer);
    answers.push(answer);
    if (call === undefined || call.recorded) continue;
    const elsewhere = recordedElsewhere(state, request);
    call.recorded = true;
    const entry = state.evidence.toolCall(call, status, { bytes: answer.length, reason });
    if (elsewhere === undefined) entries.push(entry);
    else unsure.push(elsewhere.then((written) => void (written || entries.push(entry))));
  }
  if (unsure.length > 0) await Promise.all(unsure);
  await state.append(entries);
  return answers;
}
