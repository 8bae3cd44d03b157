import { buildRecord, nextId } from "@touchstone/records/plain";
import type { ActivityEntry, ActivityRecord } from "@touchstone/records/record";
import type { AlertRule } from "../../features/alerts/alerts.ts";
import type { AlertEvent } from "../../features/alerts/events.ts";
import { documentOf, slackBody } from "./document.ts";

const REASON = "This is a test of the alert. Nothing happened.";

/** An example record of each event. */
const ENTRIES: Readonly<Record<AlertEvent, Omit<ActivityEntry, "source">>> = {
  blocked: { type: "policy_decision", direction: "input", decision: "blocked", status: "blocked" },
  server_failed: { type: "server_change", status: "error" },
  call_error: { type: "tool_call", status: "error" },
  schema_change: { type: "schema_change" },
};

/**
 * Returns the body of a test of a rule: the text of its events, about a record that is not stored. As JSON, the
 * record has `test: true`, and lacks `hash` and `prev_hash`, because it is not part of a hash chain.
 */
export function testText({ when, server, tool, to }: AlertRule, now: Date): string {
  const entry: ActivityEntry = {
    ...ENTRIES[when],
    source: "gateway",
    reason: REASON,
    ...(server === undefined ? {} : { server }),
    ...(tool === undefined ? {} : { tool }),
  };
  const record: ActivityRecord = {
    ...buildRecord(entry, nextId(now), now),
    prev_hash: "",
    hash: "",
  };
  if ("webhook" in to && to.webhook.format === "slack") return slackBody(when, record);
  const {
    hash: _,
    prev_hash: __,
    ...fields
  } = JSON.parse(documentOf(record)) as Record<string, unknown>;
  return JSON.stringify({ test: true, ...fields });
}
