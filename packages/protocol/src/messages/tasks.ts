import { notification, page, result } from "./base.ts";
import { type Definitions, INTEGER, literal, object, ref, STRING } from "./schema.ts";

const REQUIRED = {
  taskId: STRING,
  status: literal("cancelled", "completed", "failed", "input_required", "working"),
  createdAt: STRING,
  lastUpdatedAt: STRING,
  ttl: { type: ["integer", "null"] },
};
const OPTIONAL = { pollInterval: INTEGER, statusMessage: STRING };

/** MCP 2025-11-25, Utilities, Tasks (experimental; later an extension). */
export const TASKS_2025_11_25: Definitions = {
  Task: object(REQUIRED, OPTIONAL),
  TaskMetadata: object({}, { ttl: INTEGER }),
  TaskRequestParams: object({ taskId: STRING }),
  CreateTaskResult: result({ task: ref("Task") }),
  GetTaskResult: result(REQUIRED, OPTIONAL),
  CancelTaskResult: result(REQUIRED, OPTIONAL),
  ListTasksResult: page("tasks"),
  TaskStatusNotificationParams: notification(REQUIRED, OPTIONAL),
};
