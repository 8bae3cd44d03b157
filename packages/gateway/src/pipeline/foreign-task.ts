import type { Frame } from "@touchstone/protocol";
import type { ToolCall } from "./inflight.ts";
import type { PipelineState } from "./state.ts";

/** Requests about a task, which bring the result of the call that made it. */
export const ABOUT_TASKS: ReadonlySet<string> = new Set(["tasks/result", "tasks/get"]);

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

const UNSEEN = {
  code: "unseen",
  reason: "the gateway has not seen the call that made this task, or has forgotten it",
} as const;

/**
 * Stands for the call that made a task of which nothing is known, such as one from before the gateway started. Its
 * tool may be any, so the strictest mode in which results of the server are checked holds.
 */
export function unseenCall({ context }: PipelineState): ToolCall {
  const settings = context.settings();
  return {
    tool: undefined,
    contract: undefined,
    gap: UNSEEN,
    settings: {
      ...settings,
      output: { ...settings.output, mode: context.strictestForOutput() },
    },
    requestId: context.newRequestId(),
    startedAt: context.now(),
    bytesIn: undefined,
    wantsTask: true,
    verdict: { decision: "allowed", outcome: "skipped" },
    // Whoever saw the call has written its record.
    recorded: true,
    sent: true,
  };
}
