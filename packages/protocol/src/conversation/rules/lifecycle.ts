import {
  CALL_KINDS,
  type ConversationRule,
  FIRST_VERSION,
  LAST_LEGACY,
  violation,
} from "./rule.ts";

/** Rules about the handshake. */
export const LIFECYCLE: readonly ConversationRule[] = [
  {
    id: "server-waits",
    section: "Lifecycle, Initialization",
    until: LAST_LEGACY,
    sender: "server",
    kinds: CALL_KINDS,
    broken: ({ frame, facts }) => {
      if (facts.handshake !== "asked" && facts.handshake !== "answered") return undefined;
      const { kind, method } = frame;
      if (method === "ping" || method === "notifications/message") return undefined;
      // After the response to `initialize`, only requests have to wait until the client reports that it is initialized.
      if (kind === "notification" && facts.handshake === "answered") return undefined;
      return violation(
        "/method",
        `${method} comes before the handshake is over; a server sends only ping and log messages then`,
      );
    },
  },
  {
    id: "client-waits",
    section: "Lifecycle, Initialization",
    until: LAST_LEGACY,
    sender: "client",
    kinds: ["request"],
    broken: ({ frame, facts }) =>
      facts.handshake !== "asked" || frame.method === "ping" || frame.method === "initialize"
        ? undefined
        : violation(
            "/method",
            `${frame.method} comes before initialize has its response; until then a client sends only ping`,
          ),
  },
  {
    id: "initialize-once",
    section: "Lifecycle, Initialization",
    until: LAST_LEGACY,
    must: FIRST_VERSION,
    sender: "client",
    kinds: ["request"],
    methods: ["initialize"],
    broken: ({ facts, whole }) =>
      whole && facts.handshake !== "unseen"
        ? violation("/method", "initialize must be the first request, and was sent before")
        : undefined,
  },
];
