import { META_SUBSCRIPTION_ID, notificationFrame } from "@touchstone/protocol/advanced";

/** The request that opens a subscription (MCP 2026-07-28, Subscriptions). */
export const LISTEN = "subscriptions/listen";

/** Tells a client that its list of tools has changed. @param subscription the id of its subscription, if it has one */
export function toolListChange(subscription?: string): Uint8Array {
  const meta = `{"_meta":{${JSON.stringify(META_SUBSCRIPTION_ID)}:${subscription}}}`;
  return notificationFrame(
    "notifications/tools/list_changed",
    subscription === undefined ? undefined : meta,
  );
}
