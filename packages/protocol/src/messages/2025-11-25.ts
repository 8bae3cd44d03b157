import { MESSAGES_2025_06_18 } from "./2025-06-18.ts";
import { BASE_2025_11_25 } from "./base.ts";
import { CONTENT_2025_11_25 } from "./content.ts";
import { ELICITATION_2025_11_25 } from "./elicitation.ts";
import { LIFECYCLE_2025_11_25 } from "./lifecycle.ts";
import { listRequest, type MessageTable, notify, request } from "./message-table.ts";
import { PROMPTS_2025_11_25 } from "./prompts.ts";
import { RESOURCES_2025_11_25 } from "./resources.ts";
import { SAMPLING_2025_11_25 } from "./sampling.ts";
import { OBJECT, object, ref } from "./schema.ts";
import { TASKS_2025_11_25 } from "./tasks.ts";
import { TOOLS_2025_11_25, toolContent } from "./tools.ts";
import { UTILITIES_2025_11_25 } from "./utilities.ts";

const TASK = { task: true };

/** https://modelcontextprotocol.io/specification/2025-11-25 */
export const MESSAGES_2025_11_25: MessageTable = {
  version: "2025-11-25",
  definitions: {
    ...MESSAGES_2025_06_18.definitions,
    ...BASE_2025_11_25,
    ...LIFECYCLE_2025_11_25,
    ...UTILITIES_2025_11_25,
    ...CONTENT_2025_11_25,
    ...TOOLS_2025_11_25,
    ...toolContent(OBJECT),
    ...RESOURCES_2025_11_25,
    ...PROMPTS_2025_11_25,
    ...SAMPLING_2025_11_25,
    ...ELICITATION_2025_11_25,
    ...TASKS_2025_11_25,
  },
  methods: {
    ...MESSAGES_2025_06_18.methods,
    "tools/call": request("client", "CallToolRequestParams", "CallToolResult", TASK),
    "sampling/createMessage": request(
      "server",
      "CreateMessageRequestParams",
      "CreateMessageResult",
      TASK,
    ),
    "elicitation/create": request("server", "ElicitRequestParams", "ElicitResult", TASK),
    "tasks/get": request("both", "TaskRequestParams", "GetTaskResult"),
    "tasks/result": request("both", "TaskRequestParams", "Result"),
    "tasks/cancel": request("both", "TaskRequestParams", "CancelTaskResult"),
    "tasks/list": listRequest("both", "PaginatedRequestParams", "ListTasksResult", "tasks", "Task"),
    "notifications/tasks/status": notify("both", "TaskStatusNotificationParams"),
    "notifications/cancelled": notify("both", "CancelledNotificationParams", {
      needsParams: true,
    }),
    "notifications/elicitation/complete": notify("server", "ElicitationCompleteNotificationParams"),
  },
  errorNeedsId: false,
  errors: { "-32042": object({ data: ref("ElicitationsData") }) },
};
