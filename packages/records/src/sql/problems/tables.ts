import { HOUSEKEEPING, type TableSet } from "../table.ts";

/** Issues of calls, grouped by kind: `../../problems/problem.ts`. */
export const PROBLEMS_TABLES = {
  problems: {
    columns: {
      /** The hash of the next six columns. */
      id: "text",
      server: "text",
      tool: "text",
      direction: "text",
      place: "text",
      rule: "text",
      keyword: "text",
      /** The issue of the latest call, as JSON text. */
      issue: "text",
      /** 1 if no mode blocks the issue. */
      noted: "count",
      schema_hash: "text?",
      /** When the first and the last decision about it were made, and the id of the last one. */
      first: "text",
      last: "text",
      last_id: "text",
      /** How many calls have begun since then, and passed the check. */
      passed: "count",
      /** 1 if there were more callers than are kept. */
      more_callers: "count",
    },
    key: ["id"],
    indexes: [{ name: "problems_tool", columns: ["server", "tool"] }],
    isPersonal: true,
    verified: {
      by: "the hash in each row",
      except: {
        columns: [
          ...["issue", "noted", "schema_hash", "first", "last", "last_id"],
          ...["passed", "more_callers"],
        ],
        why: "facts about the latest calls",
      },
      mayLackRows: true,
    },
  },
  /**
   * How many decisions there were in an hour. Problem `""`: decisions with issues that do not belong to another row.
   */
  problem_hours: {
    columns: { problem: "text", hour: "text", calls: "integer", blocked: "integer" },
    key: ["problem", "hour"],
    byKey: true,
    verified: {
      by: "a recount of the records",
      mayLackRows: true,
    },
  },
  /** The callers of such calls. */
  problem_callers: {
    columns: { problem: "text", caller: "text", last: "text" },
    key: ["problem", "caller"],
    byKey: true,
    isPersonal: true,
    verified: {
      by: "a recount of the records",
      except: { columns: ["last"], why: HOUSEKEEPING },
      mayLackRows: true,
    },
  },
  /** How many records of a chain were read. */
  problem_chains: {
    columns: { chain: "text", records: "integer" },
    key: ["chain"],
    byKey: true,
    verified: { by: "a recount of the records" },
  },
  /** Problems that an administrator wants to hide for some time. */
  problem_ignores: {
    columns: {
      problem: "text",
      until: "text",
      since: "text",
      actor: "text",
      caller: "text?",
      reason: "text?",
    },
    key: ["problem"],
    isPersonal: true,
    verified: {
      by: null,
      except: { columns: [], why: "a record of type config_change says who decided what" },
    },
  },
} as const satisfies TableSet;
