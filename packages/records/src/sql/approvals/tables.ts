import type { TableSet } from "../table.ts";

/** Approvals of what servers declare. */
export const APPROVALS_TABLES = {
  /** Declarations of servers: approved, held or revoked. */
  pins: {
    columns: {
      server: "text",
      kind: "text",
      name: "text",
      hash: "text",
      state: "text",
      text: "bytes?",
      since: "text",
      decided: "text?",
      caller: "text?",
      locked_hash: "text?",
    },
    key: ["server", "kind", "name", "hash"],
    indexes: [
      { name: "pins_hash", columns: ["server", "hash"] },
      { name: "pins_locked", columns: ["server", "locked_hash"] },
    ],
    verified: {
      by: "records of approvals",
      except: {
        columns: ["since", "decided", "locked_hash", "text"],
        why: "shown to people who approve; no decision rests on them. Of text, only its removal is not noticed",
      },
    },
    isPersonal: true,
  },
  /** Kinds of declarations whose first ones were approved automatically. */
  pin_first_uses: {
    columns: { server: "text", kind: "text", since: "text" },
    key: ["server", "kind"],
    byKey: true,
    verified: {
      by: "records of approvals",
      except: { columns: ["since"], why: "shown to people only" },
    },
  },
  /** Counts the changes to a server's known declarations. */
  pin_versions: {
    columns: { server: "text", version: "integer" },
    key: ["server"],
    byKey: true,
    verified: {
      by: "the servers in table pins",
      except: { columns: ["version"], why: "a counter that makes gateways read approvals again" },
    },
  },
} as const satisfies TableSet;
