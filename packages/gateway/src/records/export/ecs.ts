import type { ActivityRecord, ActivityType } from "../record.ts";

/** `event.type` of the Elastic Common Schema by type of record; of calls and decisions see below. */
const EVENT_TYPES: Readonly<Record<ActivityType, string>> = {
  tool_call: "access",
  policy_decision: "info",
  schema_change: "change",
  server_change: "change",
  config_change: "change",
  system_start: "start",
  system_stop: "end",
};

/**
 * A record as an event of the Elastic Common Schema 8.17
 * (https://www.elastic.co/docs/reference/ecs/ecs-field-reference). What ECS has no field for stands
 * under `touchstone`.
 */
export function toEcs(record: ActivityRecord): Readonly<Record<string, unknown>> {
  const { id, time, type, status, decision, duration_ms, reason, server, tool } = record;
  const isAboutCall = type === "tool_call" || type === "policy_decision";
  const stopped = decision === "blocked" || status === "blocked" || status === "rejected";
  const verdict = stopped ? "denied" : "allowed";
  return {
    "@timestamp": time,
    "ecs.version": "8.17.0",
    message: messageOf(record),
    event: {
      id,
      kind: "event",
      category: [isAboutCall ? "api" : type === "config_change" ? "configuration" : "process"],
      type: isAboutCall ? [EVENT_TYPES[type], verdict] : [EVENT_TYPES[type]],
      action: type,
      outcome: outcomeOf(record),
      module: "touchstone",
      dataset: "touchstone.activity",
      provider: record.source,
      hash: record.hash,
      // In nanoseconds.
      ...(duration_ms === null ? {} : { duration: Math.round(duration_ms * 1e6) }),
      ...(reason === null ? {} : { reason }),
    },
    ...(server === null ? {} : { service: { name: server } }),
    ...(record.client === null ? {} : { user_agent: { original: record.client } }),
    ...(record.bytes_in === null && record.bytes_out === null
      ? {}
      : {
          http: {
            ...(record.bytes_in === null ? {} : { request: { bytes: record.bytes_in } }),
            ...(record.bytes_out === null ? {} : { response: { bytes: record.bytes_out } }),
          },
        }),
    touchstone: {
      tool,
      direction: record.direction,
      mode: record.mode,
      decision,
      status,
      outcome: record.outcome,
      issues: record.issues,
      guard: record.guard,
      schema_hash: record.schema_hash,
      session: record.session,
      request_id: record.request_id,
      arguments: record.arguments,
      result: record.result,
      redactions: record.redactions,
      truncated: record.truncated,
      previous_schema_hash: record.previous_schema_hash,
      prev_hash: record.prev_hash,
    },
  };
}

/** One line for people. */
export function messageOf(record: ActivityRecord): string {
  const what = [record.server, record.tool].filter((name) => name !== null).join("/");
  const verdict = record.status ?? record.decision;
  const head = [record.type, what, verdict].filter((word) => word).join(" ");
  return record.reason === null ? head : `${head}: ${record.reason}`;
}

function outcomeOf({ status }: ActivityRecord): "success" | "failure" | "unknown" {
  if (status === null) return "unknown";
  return status === "success" || status === "warning" ? "success" : "failure";
}
