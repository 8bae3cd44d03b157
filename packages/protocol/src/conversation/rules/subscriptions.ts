import type { RequestFacts } from "../facts.ts";
import { type ConversationRule, MODERN, violation } from "./rule.ts";

/** The member of a subscription's filter that asks for a notification (MCP 2026-07-28, Notification Filter). */
const FILTERS: ReadonlyMap<string, string> = new Map([
  ["notifications/tools/list_changed", "toolsListChanged"],
  ["notifications/prompts/list_changed", "promptsListChanged"],
  ["notifications/resources/list_changed", "resourcesListChanged"],
  ["notifications/resources/updated", "resourceSubscriptions"],
]);

/** Returns whether a `subscriptions/listen` asked for a notification. */
function listensTo(request: RequestFacts, method: string): boolean {
  if (request.method !== "subscriptions/listen") return false;
  // If the filter is missing, invalid or too large to read, the server is not blamed.
  if (request.filter === undefined) return true;
  const asked = request.filter[FILTERS.get(method) ?? ""];
  return asked === true || (Array.isArray(asked) && asked.length > 0);
}

/** Rules about the notifications of a subscription. */
export const SUBSCRIPTIONS: readonly ConversationRule[] = [
  {
    id: "subscription-acknowledged",
    section: "Subscriptions, Acknowledgment",
    from: MODERN,
    must: MODERN,
    sender: "server",
    kinds: ["notification"],
    methods: [...FILTERS.keys()],
    broken: ({ frame, facts }) => {
      const request = facts.client.requests.get(frame.subscriptionIdKey ?? "");
      return request?.method === "subscriptions/listen" && request.acknowledged !== true
        ? violation("/method", "notifications/subscriptions/acknowledged must come first")
        : undefined;
    },
  },
  {
    id: "subscription-filter",
    section: "Subscriptions, Opening a Stream",
    from: MODERN,
    must: MODERN,
    sender: "server",
    kinds: ["notification"],
    methods: [...FILTERS.keys()],
    broken: ({ frame, facts, whole }) => {
      const { method = "", subscriptionIdKey: key } = frame;
      const own = key === undefined ? undefined : facts.client.requests.get(key);
      // A notification that names no known subscription may belong to any of them.
      const all = own === undefined ? [...facts.client.requests.values()] : [own];
      if (own === undefined && (!whole || facts.client.forgotRequest)) return undefined;
      return all.some((request) => listensTo(request, method))
        ? undefined
        : violation("/method", `no subscription that is open has asked for ${method}`);
    },
  },
];
