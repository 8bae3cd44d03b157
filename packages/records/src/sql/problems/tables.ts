import { HOUSEKEEPING, type TableSet } from "../table.ts";

/** Calls that had issues, by what was wrong: `../../problems/problem.ts`. */
export const PROBLEMS_TABLES = {
  problems: {
    columns: {
      /** The hash of the six columns after it. */
      id: "text",
      server: "text",
      tool: "text",
      direction: "text",
      place: "text",
      rule: "text",
      keyword: "text",
      /** The issue of the latest call, as JSON text. */
      issue: "text",
      /** 1 if no mode blocks it. */
      noted: "count",
      schema_hash: "text?",
      /** When the first and the last decision about it was made, and the id of the last one. */
      first: "text",
      last: "text",
      last_id: "text",
      /** How many calls have begun since, and passed the check. */
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
  /** How many decisions there were in an hour. Problem `""`: those with issues that are in no other row. */
  problem_hours: {
    columns: { problem: "text", hour: "text", calls: "integer", blocked: "integer" },
    key: ["problem", "hour"],
    byKey: true,
    verified: {
      by: "a recount of the records",
      mayLackRows: true,
    },
  },
  /** Who made such calls. */
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
  /** How many records of a chain were looked at. */
  problem_chains: {
    columns: { chain: "text", records: "integer" },
    key: ["chain"],
    byKey: true,
    verified: { by: "a recount of the records" },
  },
  /** Problems that an administrator does not want to see. */
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
