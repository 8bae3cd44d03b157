import { isObject } from "@touchstone/core/advanced";
import type { Frame } from "../../frame.ts";
import { objectInFrame } from "../facts.ts";
import { CALL_KINDS, type ConversationRule, LAST_LEGACY, violation } from "./rule.ts";

const RELATED_TASK = "io.modelcontextprotocol/related-task";

/** Returns the task that the metadata of a message names; undefined if there is none. */
function relatedTask(frame: Frame, pointer: string): unknown {
  const related = objectInFrame(frame, frame.range(pointer))?.[RELATED_TASK];
  return isObject(related) ? related["taskId"] : undefined;
}

/** Rules about tasks. */
export const TASKS: readonly ConversationRule[] = [
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
      return violation(
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
      return violation("/result/_meta", `${RELATED_TASK} ${what}`);
    },
  },
  {
    id: "task-metadata-spare",
    section: "Tasks, Associating Task-Related Messages",
    from: "2025-11-25",
    until: LAST_LEGACY,
    sender: "both",
    kinds: CALL_KINDS,
    methods: ["tasks/get", "tasks/result", "tasks/cancel", "notifications/tasks/status"],
    broken: ({ frame }) =>
      relatedTask(frame, "/params/_meta") === undefined
        ? undefined
        : violation("/params/_meta", `${RELATED_TASK} is left out if taskId names the task`),
  },
];
