import type { TableSet } from "../table.ts";

const RUNNING = {
  by: null,
  except: { columns: [], why: "the state of running gateways" },
} as const;

/** Data that gateways with one PostgreSQL database share. */
export const FLEET_TABLES = {
  /** Gateways that share the store. */
  gateways: {
    columns: {
      id: "text",
      host: "text",
      version: "text",
      configuration: "text",
      listen: "text",
      started: "now",
      seen: "now",
    },
    key: ["id"],
    only: "postgres",
    verified: RUNNING,
  },
  /** Calls that run as tasks. */
  tasks: {
    columns: {
      server: "text",
      task: "text",
      tool: "text",
      request_id: "text",
      output_schema: "bytes?",
      since: "now",
      known: "yes",
      gap: "text?",
    },
    key: ["server", "task"],
    indexes: [{ name: "tasks_since", columns: ["since"] }],
    only: "postgres",
    verified: RUNNING,
  },
  /** Positions of readers: `bookmark.ts`. */
  bookmarks: {
    columns: { name: "text", position: "text", holder: "text", held_until: "real" },
    key: ["name"],
    only: "postgres",
    verified: RUNNING,
  },
  /** Requests whose streams clients may resume at another gateway. */
  requests: {
    columns: {
      server: "text",
      session: "text",
      id: "text",
      request: "text",
      request_id: "text?",
      output: "text?",
      since: "now",
      until: "tomorrow",
    },
    key: ["server", "session", "id"],
    indexes: [
      { name: "requests_until", columns: ["until"] },
      { name: "requests_output", columns: ["output"], where: "output IS NOT NULL" },
    ],
    only: "postgres",
    verified: RUNNING,
    isPersonal: true,
  },
} as const satisfies TableSet;
