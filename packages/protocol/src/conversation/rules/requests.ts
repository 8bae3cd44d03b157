import {
  type ConversationRule,
  FIRST_VERSION,
  LAST_LEGACY,
  MODERN,
  otherTokenType,
  violation,
} from "./rule.ts";

/** Rules about the ids of requests, and about canceling them. */
export const REQUESTS: readonly ConversationRule[] = [
  {
    id: "id-in-use",
    section: "Base Protocol, Requests",
    must: FIRST_VERSION,
    // For requests of a client, the gateway itself detects this, from its list of pending requests.
    sender: "server",
    kinds: ["request"],
    broken: ({ frame, facts }) => {
      const known = facts.server.requests.get(frame.idKey ?? "");
      return known === undefined || known.cancelled
        ? undefined
        : violation("/id", "id is in use by a request that has no response yet");
    },
  },
  {
    id: "initialize-goes-on",
    section: "Cancellation, Behavior Requirements",
    until: LAST_LEGACY,
    must: FIRST_VERSION,
    sender: "client",
    kinds: ["notification"],
    methods: ["notifications/cancelled"],
    broken: ({ frame, facts }) =>
      facts.initialize !== undefined && frame.requestIdKey === facts.initialize
        ? violation("/params/requestId", "initialize must not be canceled")
        : undefined,
  },
  {
    id: "cancels-known",
    section: "Cancellation, Behavior Requirements",
    must: FIRST_VERSION,
    // A client's cancellation may arrive before its request, because each is a POST of its own.
    sender: "server",
    kinds: ["notification"],
    methods: ["notifications/cancelled"],
    broken: ({ frame, facts, whole, revision }) => {
      const key = frame.requestIdKey;
      // From 2026-07-28 on, a server ends subscriptions that the client asked for.
      const side = revision.version >= MODERN ? facts.client : facts.server;
      // A request that already has its response may still be canceled: the response may be on its way.
      if (!whole || key === undefined || !side.asked || side.sent(key) !== false) return undefined;
      return side.sent(otherTokenType(key)) === true
        ? violation("/params/requestId", "the type of requestId differs from the request's id")
        : violation("/params/requestId", "no request with this id was sent in this direction");
    },
  },
  {
    id: "server-cancels-subscriptions",
    section: "Cancellation",
    from: MODERN,
    must: MODERN,
    sender: "server",
    kinds: ["notification"],
    methods: ["notifications/cancelled"],
    broken: ({ frame, facts }) => {
      const request = facts.client.requests.get(frame.requestIdKey ?? "");
      return request === undefined || request.method === "subscriptions/listen"
        ? undefined
        : violation("/params/requestId", "a server may cancel only subscriptions/listen");
    },
  },
];
