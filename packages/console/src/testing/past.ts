import type { Rule } from "@touchstone/core/advanced";
import { openActivityStore } from "../../../records/src/open-sqlite.ts";
import type { ActivityEntry } from "../../../records/src/record.ts";

/** Calls on an earlier day that were forwarded. */
export interface PastCalls {
  readonly daysAgo: number;
  readonly server: string;
  readonly tool: string;
  /** The class of issues that each of them had; absent if they were valid. */
  readonly rule?: Rule;
  readonly calls: number;
}

function entriesOf({ server, tool, rule }: PastCalls, request_id: string): ActivityEntry[] {
  const where = { source: "gateway", server, tool, request_id } as const;
  const call = { ...where, type: "tool_call", status: "success", duration_ms: 3 } as const;
  if (rule === undefined) return [call];
  const found = { direction: "input", mode: "warn", decision: "warning" } as const;
  const issues = [{ path: "/x", message: `breaks ${rule}`, rule, schemaPath: "#/properties/x" }];
  const decision = {
    ...where,
    ...found,
    type: "policy_decision",
    status: "warning",
    issues,
  } as const;
  const schema_hash = `sha256:${"0".repeat(64)}`;
  return [{ ...decision, outcome: "violation", schema_hash }, call];
}

/**
 * Writes records into a gateway's data directory, with the time of noon of earlier days. Ids never decrease within
 * one process, and these records get current ids: write them before records that should be newer.
 */
export async function recordPast(dataDir: string, past: readonly PastCalls[]): Promise<void> {
  let day = new Date();
  const store = await openActivityStore({ dataDir, sync: "normal", now: () => day });
  try {
    for (const [index, calls] of past.entries()) {
      day = new Date();
      day.setDate(day.getDate() - calls.daysAgo);
      day.setHours(12, 0, 0, 0);
      const entries = Array.from({ length: calls.calls }, (_, i) =>
        entriesOf(calls, `${index}.${i}`),
      );
      await store.append(entries.flat());
    }
  } finally {
    await store.close();
  }
}
