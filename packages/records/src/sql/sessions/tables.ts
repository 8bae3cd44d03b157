import type { TableSet } from "../table.ts";

/** The browsers that are signed in to the console. */
export const SESSIONS_TABLES = {
  /** Browsers that are signed in: `session-store.ts`. */
  console_sessions: {
    columns: {
      id: "text",
      token: "unique",
      owner: "text",
      caller: "text?",
      about: "text",
      created: "text",
      seen: "text",
      expires: "text",
    },
    key: ["id"],
    indexes: [
      { name: "console_sessions_expires", columns: ["expires"] },
      { name: "console_sessions_caller", columns: ["caller"], where: "caller IS NOT NULL" },
    ],
    byKey: true,
    isPersonal: true,
    verified: {
      by: null,
      except: {
        columns: [],
        why: "the gateway checks the digest in each row before the row counts",
      },
    },
  },
} as const satisfies TableSet;
