import { readFrame } from "@touchstone/protocol";
import { describe, expect, it, vi } from "vitest";
import type { ToolCall } from "./in-flight.ts";
import type { PipelineState } from "./state.ts";
import { createTaskMap, lookUpSharedTask } from "./tasks.ts";

const CALL = { tool: "add" } as ToolCall;

function recalling(found: ToolCall | undefined, shares = true) {
  const find = vi.fn(async () => found);
  const tasks = createTaskMap();
  const sharedTasks = shares ? { find, announce: vi.fn() } : undefined;
  const state = { context: { sharedTasks }, conversation: {}, tasks } as unknown as PipelineState;
  const recall = (method: string, params: object = { taskId: "t1" }) =>
    lookUpSharedTask(
      state,
      readFrame(Buffer.from(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }))),
    );
  return { find, tasks, recall };
}

describe("lookUpSharedTask", () => {
  it.each(["tasks/get", "tasks/result"])("looks up the task of %s once", async (method) => {
    const { find, tasks, recall } = recalling(CALL);
    await recall(method);
    expect(find.mock.calls).toEqual([["t1", undefined]]);
    expect(tasks.get("t1")).toBe(CALL);
    expect(recall(method)).toBeUndefined();
    expect(find).toHaveBeenCalledOnce();
  });

  it("remembers nothing of a task that no gateway knows", async () => {
    const { tasks, recall } = recalling(undefined);
    await recall("tasks/get");
    expect(tasks.size).toBe(0);
  });

  it.each([
    ["another method", "tasks/cancel", { taskId: "t1" }, true],
    ["no task's id", "tasks/get", {}, true],
    ["no store that is shared", "tasks/get", { taskId: "t1" }, false],
  ])("looks nothing up for %s", (_name, method, params, shares) => {
    const { find, recall } = recalling(CALL, shares);
    expect(recall(method, params)).toBeUndefined();
    expect(find).not.toHaveBeenCalled();
  });
});
