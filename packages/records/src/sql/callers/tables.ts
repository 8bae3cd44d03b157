import type { TableSet } from "../table.ts";

/** Who called which tools, in half hours. */
export const CALLER_TABLES = {
  /** The calls of one caller with one client to one tool in half an hour: `rollup.ts`. An absent name is `""`. */
  caller_rollup: {
    columns: {
      slot: "text",
      caller: "text",
      client: "text",
      server: "text",
      tool: "text",
      calls: "integer",
      blocked: "integer",
      warning: "integer",
      error: "integer",
      denied: "integer",
      held: "integer",
      out_of_bounds: "integer",
      limited: "integer",
      /** The times of the first and the last call. */
      first: "text",
      last: "text",
    },
    key: ["slot", "caller", "client", "server", "tool"],
    byKey: true,
    verified: { by: "a recount of the records" },
    isPersonal: true,
  },
  /** How many records of a chain are in `caller_rollup`. */
  caller_rollup_chains: {
    columns: { chain: "text", records: "integer" },
    key: ["chain"],
    byKey: true,
    verified: { by: "a recount of the records" },
  },
} as const satisfies TableSet;
