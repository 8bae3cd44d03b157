import type { ActivityRecord } from "@touchstone/gateway/api";

/** A record of a call in which nothing else applies. */
const RECORD: ActivityRecord = {
  ...{ id: "01AB", time: "2026-11-22T00:00:00.000Z", type: "tool_call", source: "gateway" },
  ...{ server: null, tool: null, direction: null, mode: null, decision: null, status: null },
  ...{ outcome: null, reason: null, issues: [], schema_hash: null, client: null, session: null },
  ...{ request_id: null, bytes_in: null, bytes_out: null, duration_ms: null },
  ...{ prev_hash: "0".repeat(64), hash: "0".repeat(64) },
};

/** Returns a record with some members. */
export function recordWith(members: Partial<ActivityRecord>): ActivityRecord {
  return { ...RECORD, ...members };
}
