import type { Frame } from "@touchstone/protocol";
import type { ActivityEntry } from "../activity/record.ts";
import { type Awaitable, whenReady } from "./awaitable.ts";
import { recallTask, unseenCall } from "./foreign-task.ts";
import type { Results } from "./results.ts";
import { passMessage } from "./server-message.ts";
import type { Passage, PipelineState } from "./state.ts";

/** Tells of a task as a whole, with its result once it is finished (SEP-2663). */
const TASK_TOLD = "notifications/tasks";
const RESULT = "/params/result";

/**
 * Takes a request or notification of the server's own. The result of a finished task that it tells of is
 * judged as if it had been asked for.
 */
export function passTold(state: PipelineState, results: Results, frame: Frame): Awaitable<Passage> {
  const passed = passMessage(state, frame);
  if (frame.method !== TASK_TOLD || frame.range(RESULT) === undefined) return passed;
  return whenReady(passed, (passage): Awaitable<Passage> => {
    if (passage.onward === undefined) return passage;
    const recalled = recallTask(state, { method: "tasks/get", taskId: frame.taskId });
    return whenReady(recalled, () => judged(state, results, frame));
  });
}

function judged(state: PipelineState, results: Results, frame: Frame): Awaitable<Passage> {
  const call = state.tasks.get(frame.taskId ?? "") ?? unseenCall(state);
  const entries: ActivityEntry[] = [];
  const { revision } = state;
  const onward = results.judge({ frame, call, part: RESULT, revision, id: "null" }, entries);
  return whenReady(state.append(entries), (kept) => (kept ? { onward } : {}));
}
