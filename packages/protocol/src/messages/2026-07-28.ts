import { BASE_2026_07_28 } from "./base.ts";
import { COMPLETION_2026_07_28 } from "./completion.ts";
import { CONTENT_2025_11_25 } from "./content.ts";
import { DISCOVER_2026_07_28, INPUT_2026_07_28 } from "./discover.ts";
import { ELICITATION_2026_07_28 } from "./elicitation.ts";
import { CAPABILITIES_2026_07_28 } from "./lifecycle.ts";
import { listRequest, type MessageTable, notify, request } from "./message-table.ts";
import { PROMPTS_2026_07_28 } from "./prompts.ts";
import { RESOURCES_2026_07_28 } from "./resources.ts";
import { ROOTS_2026_07_28 } from "./roots.ts";
import { SAMPLING_2026_07_28 } from "./sampling.ts";
import { ANY, listOf, object, ref, STRING } from "./schema.ts";
import { SKILLS, SKILLS_METHODS } from "./skills.ts";
import { SUBSCRIPTIONS_2026_07_28 } from "./subscriptions.ts";
import { TOOLS_2026_07_28, toolContent } from "./tools.ts";
import { UTILITIES_2026_07_28 } from "./utilities.ts";

const PAGE = "PaginatedRequestParams";
const INPUT = { asksForInput: true };

/** https://modelcontextprotocol.io/specification/2026-07-28 */
export const MESSAGES_2026_07_28: MessageTable = {
  version: "2026-07-28",
  definitions: {
    ...BASE_2026_07_28,
    ...CAPABILITIES_2026_07_28,
    ...DISCOVER_2026_07_28,
    ...INPUT_2026_07_28,
    ...UTILITIES_2026_07_28,
    ...CONTENT_2025_11_25,
    ...TOOLS_2026_07_28,
    ...toolContent(ANY),
    ...RESOURCES_2026_07_28,
    ...PROMPTS_2026_07_28,
    ...COMPLETION_2026_07_28,
    ...SAMPLING_2026_07_28,
    ...ELICITATION_2026_07_28,
    ...ROOTS_2026_07_28,
    ...SUBSCRIPTIONS_2026_07_28,
    ...SKILLS,
  },
  methods: {
    "server/discover": request("client", "RequestParams", "DiscoverResult"),
    "tools/list": listRequest("client", PAGE, "ListToolsResult", "tools", "Tool"),
    "tools/call": request("client", "CallToolRequestParams", "CallToolResult", INPUT),
    "resources/list": listRequest("client", PAGE, "ListResourcesResult", "resources", "Resource"),
    "resources/templates/list": listRequest(
      "client",
      PAGE,
      "ListResourceTemplatesResult",
      "resourceTemplates",
      "ResourceTemplate",
    ),
    "resources/read": request("client", "ReadResourceRequestParams", "ReadResourceResult", INPUT),
    "prompts/list": listRequest("client", PAGE, "ListPromptsResult", "prompts", "Prompt"),
    "prompts/get": request("client", "GetPromptRequestParams", "GetPromptResult", INPUT),
    "completion/complete": request("client", "CompleteRequestParams", "CompleteResult"),
    "subscriptions/listen": request(
      "client",
      "SubscriptionsListenRequestParams",
      "SubscriptionsListenResult",
    ),
    "notifications/cancelled": notify("both", "CancelledNotificationParams"),
    "notifications/progress": notify("server", "ProgressNotificationParams"),
    "notifications/message": notify("server", "LoggingMessageNotificationParams"),
    "notifications/resources/updated": notify("server", "ResourceUpdatedNotificationParams"),
    "notifications/resources/list_changed": notify("server", "NotificationParams"),
    "notifications/prompts/list_changed": notify("server", "NotificationParams"),
    "notifications/tools/list_changed": notify("server", "NotificationParams"),
    "notifications/subscriptions/acknowledged": notify(
      "server",
      "SubscriptionsAcknowledgedNotificationParams",
    ),
    ...SKILLS_METHODS,
  },
  errorNeedsId: false,
  errors: {
    "-32021": object({
      data: object({ requiredCapabilities: ref("ClientCapabilities") }),
    }),
    "-32022": object({ data: object({ requested: STRING, supported: listOf(STRING) }) }),
  },
};
