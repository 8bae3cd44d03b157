import type { Frame } from "@touchstone/protocol";
import type { PipelineState } from "./state.ts";
import { ABOUT_TASKS } from "./tracker.ts";

/**
 * Looks up the task that a request asks for, where another gateway may have seen it announced.
 * Undefined where there is nothing to wait for; else it resolves once the task is known here, or is
 * found to be known nowhere. Never rejects.
 */
export function recallTask(
  { context, tasks }: PipelineState,
  { method = "", taskId }: Pick<Frame, "method" | "taskId">,
): Promise<unknown> | undefined {
  const { sharedTasks } = context;
  if (sharedTasks === undefined || taskId === undefined || !ABOUT_TASKS.has(method)) {
    return undefined;
  }
  if (tasks.get(taskId) !== undefined) return undefined;
  return sharedTasks.find(taskId).then((call) => {
    if (call !== undefined) tasks.set(taskId, call);
  });
}
