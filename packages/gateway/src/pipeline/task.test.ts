import { expect, it } from "vitest";
import type { ToolCall } from "./in-flight.ts";
import { createSessionTasks, createTaskMap } from "./tasks.ts";

const call = (tool: string): ToolCall => ({ tool }) as ToolCall;

it("a session knows the tasks of other sessions, but its own first", () => {
  const server = createTaskMap();
  const [one, other] = [createSessionTasks(server), createSessionTasks(server)];
  one.set("t", call("one"));
  expect(other.get("t")?.tool).toBe("one");
  other.set("t", call("other"));
  expect([one.get("t")?.tool, other.get("t")?.tool, one.size]).toEqual(["one", "other", 1]);
  expect(other.get("none")).toBeUndefined();
});
