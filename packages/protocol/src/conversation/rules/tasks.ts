import { isObject } from "@touchstone/core";
import type { Frame } from "../../frame.ts";
import { objectAt } from "../facts.ts";
import { breach, CALLS, LAST_LEGACY, type Rule } from "./rule.ts";

const RELATED_TASK = "io.modelcontextprotocol/related-task";

/** Returns the task that the metadata of a message names; undefined if there is none. */
function relatedTask(frame: Frame, pointer: string): unknown {
  const related = objectAt(frame, frame.range(pointer))?.[RELATED_TASK];
  return isObject(related) ? related["taskId"] : undefined;
}

/** Rules about tasks. */
export const TASKS: readonly Rule[] = [
  {
    id: "task-asked",
    section: "Tasks, Creating Tasks",
    from: "2025-11-25",
    until: LAST_LEGACY,
    must: "2025-11-25",
    sender: "both",
    kinds: ["response"],
    broken: ({ frame, request }) => {
      if (request === undefined || request.asksTask || request.method.startsWith("tasks/"))
        return undefined;
      if (
        frame.range("/result/task") === undefined ||
        frame.range("/result/content") !== undefined
      ) {
        return undefined;
      }
      return breach(
        "/result/task",
        "the request did not ask for a task, so its result must not be one",
      );
    },
  },
  {
    id: "task-metadata",
    section: "Tasks, Associating Task-Related Messages",
    from: "2025-11-25",
    until: LAST_LEGACY,
    must: "2025-11-25",
    sender: "both",
    kinds: ["response"],
    broken: ({ frame, request }) => {
      if (request?.method !== "tasks/result" || request.taskId === undefined) return undefined;
      const named = relatedTask(frame, "/result/_meta");
      if (named === request.taskId) return undefined;
      const what =
        named === undefined ? "must name the task" : "names a different task than the request";
      return breach("/result/_meta", `${RELATED_TASK} ${what}`);
    },
  },
  {
    id: "task-metadata-spare",
    section: "Tasks, Associating Task-Related Messages",
    from: "2025-11-25",
    until: LAST_LEGACY,
    sender: "both",
    kinds: CALLS,
    methods: ["tasks/get", "tasks/result", "tasks/cancel", "notifications/tasks/status"],
    broken: ({ frame }) =>
      relatedTask(frame, "/params/_meta") === undefined
        ? undefined
        : breach("/params/_meta", `${RELATED_TASK} is left out if taskId names the task`),
  },
];
