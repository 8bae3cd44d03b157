import { breach, CALLS, FIRST, LAST_LEGACY, type Rule } from "./rule.ts";

/** Rules about the handshake. */
export const LIFECYCLE: readonly Rule[] = [
  {
    id: "server-waits",
    section: "Lifecycle, Initialization",
    until: LAST_LEGACY,
    sender: "server",
    kinds: CALLS,
    broken: ({ frame, facts }) => {
      if (facts.handshake !== "asked" && facts.handshake !== "answered") return undefined;
      const { kind, method } = frame;
      if (method === "ping" || method === "notifications/message") return undefined;
      // After its response, only requests have to wait until the client reports that it is initialized.
      if (kind === "notification" && facts.handshake === "answered") return undefined;
      return breach(
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
        : breach(
            "/method",
            `${frame.method} comes before initialize has its response; until then a client sends only ping`,
          ),
  },
  {
    id: "initialize-once",
    section: "Lifecycle, Initialization",
    until: LAST_LEGACY,
    must: FIRST,
    sender: "client",
    kinds: ["request"],
    methods: ["initialize"],
    broken: ({ facts, whole }) =>
      whole && facts.handshake !== "unseen"
        ? breach("/method", "initialize must be the first request, and was sent before")
        : undefined,
  },
];
