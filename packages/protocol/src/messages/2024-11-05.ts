import { BASE_2024_11_05 } from "./base.ts";
import { COMPLETION_2024_11_05 } from "./completion.ts";
import { CONTENT_2024_11_05 } from "./content.ts";
import { LIFECYCLE_2024_11_05 } from "./lifecycle.ts";
import { listRequest, type MessageTable, notify, request } from "./message-table.ts";
import { PROMPTS_2024_11_05 } from "./prompts.ts";
import { RESOURCES_2024_11_05 } from "./resources.ts";
import { ROOTS_2024_11_05 } from "./roots.ts";
import { SAMPLING_2024_11_05 } from "./sampling.ts";
import { TOOLS_2024_11_05 } from "./tools.ts";
import { UTILITIES_2024_11_05 } from "./utilities.ts";

const PAGE = "PaginatedRequestParams";

/** https://modelcontextprotocol.io/specification/2024-11-05 */
export const MESSAGES_2024_11_05: MessageTable = {
  version: "2024-11-05",
  definitions: {
    ...BASE_2024_11_05,
    ...LIFECYCLE_2024_11_05,
    ...UTILITIES_2024_11_05,
    ...CONTENT_2024_11_05,
    ...TOOLS_2024_11_05,
    ...RESOURCES_2024_11_05,
    ...PROMPTS_2024_11_05,
    ...COMPLETION_2024_11_05,
    ...SAMPLING_2024_11_05,
    ...ROOTS_2024_11_05,
  },
  methods: {
    initialize: request("client", "InitializeRequestParams", "InitializeResult"),
    ping: request("both", "RequestParams", "Result"),
    "tools/list": listRequest("client", PAGE, "ListToolsResult", "tools", "Tool"),
    "tools/call": request("client", "CallToolRequestParams", "CallToolResult"),
    "resources/list": listRequest("client", PAGE, "ListResourcesResult", "resources", "Resource"),
    "resources/templates/list": listRequest(
      "client",
      PAGE,
      "ListResourceTemplatesResult",
      "resourceTemplates",
      "ResourceTemplate",
    ),
    "resources/read": request("client", "ReadResourceRequestParams", "ReadResourceResult"),
    "resources/subscribe": request("client", "SubscribeRequestParams", "Result"),
    "resources/unsubscribe": request("client", "UnsubscribeRequestParams", "Result"),
    "prompts/list": listRequest("client", PAGE, "ListPromptsResult", "prompts", "Prompt"),
    "prompts/get": request("client", "GetPromptRequestParams", "GetPromptResult"),
    "completion/complete": request("client", "CompleteRequestParams", "CompleteResult"),
    "logging/setLevel": request("client", "SetLevelRequestParams", "Result"),
    "sampling/createMessage": request(
      "server",
      "CreateMessageRequestParams",
      "CreateMessageResult",
    ),
    "roots/list": listRequest("server", "RequestParams", "ListRootsResult", "roots", "Root"),
    "notifications/initialized": notify("client", "NotificationParams"),
    "notifications/cancelled": notify("both", "CancelledNotificationParams"),
    "notifications/progress": notify("both", "ProgressNotificationParams"),
    "notifications/roots/list_changed": notify("client", "NotificationParams"),
    "notifications/message": notify("server", "LoggingMessageNotificationParams"),
    "notifications/resources/updated": notify("server", "ResourceUpdatedNotificationParams"),
    "notifications/resources/list_changed": notify("server", "NotificationParams"),
    "notifications/prompts/list_changed": notify("server", "NotificationParams"),
    "notifications/tools/list_changed": notify("server", "NotificationParams"),
  },
  errorNeedsId: true,
  errors: {},
};
