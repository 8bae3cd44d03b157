import { statelessParams, taggedNotification } from "./base.ts";
import { BOOLEAN, type Definitions, listOf, object, ref, STRING } from "./schema.ts";

const FILTER = { notifications: ref("SubscriptionFilter") };

/** MCP 2026-07-28, Utilities, Subscriptions. */
export const SUBSCRIPTIONS_2026_07_28: Definitions = {
  SubscriptionFilter: object(
    {},
    {
      promptsListChanged: BOOLEAN,
      resourcesListChanged: BOOLEAN,
      toolsListChanged: BOOLEAN,
      resourceSubscriptions: listOf(STRING),
    },
  ),
  SubscriptionsListenRequestParams: statelessParams(FILTER),
  SubscriptionsListenResult: object({
    resultType: STRING,
    _meta: object(
      { "io.modelcontextprotocol/subscriptionId": ref("RequestId") },
      { "io.modelcontextprotocol/serverInfo": ref("Implementation") },
    ),
  }),
  SubscriptionsAcknowledgedNotificationParams: taggedNotification(FILTER),
};
