import { HOUSEKEEPING, type TableSet } from "../table.ts";

/** Data about the results of tools. */
export const DRIFT_TABLES = {
  /** The shapes of a tool's results under one of its schemas. */
  drift: {
    columns: {
      server: "text",
      tool: "text",
      schema_hash: "text",
      schema: "text",
      shape: "text",
      since: "text",
      until: "text",
    },
    key: ["server", "tool", "schema_hash"],
    verified: {
      by: "the digest in each row",
      except: { columns: ["since", "until"], why: HOUSEKEEPING },
      mayLackRows: true,
    },
  },
} as const satisfies TableSet;
