import type { Issue } from "@touchstone/core";
import { answerErrors, recordFault } from "./block-answers.ts";
import { joinBatch } from "./oversize.ts";
import { blockedIn } from "./settle.ts";
import type { Passage, PipelineState } from "./state.ts";

/**
 * Ends requests whose answer came in a form that nobody can read: another content coding, charset or media
 * type, or no JSON. There is nothing to forward, so that every mode blocks it, with an error on each id.
 * @param answers the ids, by key, of the requests that it was the answer to; those that wait for one no more
 *   are left out
 */
export async function refuseUnreadable(
  state: PipelineState,
  reason: string,
  answers: readonly string[],
): Promise<Passage> {
  const requests = answers.flatMap((key) => state.inflight.take(key) ?? []);
  const verdict = blockedIn(state.context.settings().protocol.mode);
  const issue: Issue = { path: "", message: reason, rule: "protocol", keyword: "content" };
  const fault = { verdict, faults: [issue], reason };
  await state.append(recordFault(state, requests, fault));
  const errors = answerErrors(requests, fault);
  const [first] = errors;
  if (first === undefined) return {};
  return { onward: errors.length === 1 ? first : joinBatch(errors) };
}
