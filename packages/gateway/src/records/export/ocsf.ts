import type { ActivityRecord } from "../record.ts";
import { messageOf } from "./ecs.ts";

const CATEGORY = { uid: 6, name: "Application Activity" };
const CLASS = { uid: 6003, name: "API Activity" };
/** A tool may do anything: none of create, read, update, delete. */
const ACTIVITY = { id: 99 };

/**
 * A record as an event of the Open Cybersecurity Schema Framework 1.6.0, class API Activity
 * (https://schema.ocsf.io/1.6.0/classes/api_activity). What the class has no attribute for stands
 * under `unmapped`.
 */
export function toOcsf(record: ActivityRecord): Readonly<Record<string, unknown>> {
  const { id, time, type, status, reason, duration_ms, client, session, request_id } = record;
  const [name, version] = splitClient(client);
  return {
    category_uid: CATEGORY.uid,
    category_name: CATEGORY.name,
    class_uid: CLASS.uid,
    class_name: CLASS.name,
    activity_id: ACTIVITY.id,
    activity_name: type,
    type_uid: CLASS.uid * 100 + ACTIVITY.id,
    type_name: `${CLASS.name}: Other`,
    time: Date.parse(time),
    ...severityOf(record),
    ...statusOf(record),
    ...(reason === null ? {} : { status_detail: reason }),
    ...(duration_ms === null ? {} : { duration: Math.round(duration_ms) }),
    message: messageOf(record),
    metadata: {
      version: "1.6.0",
      uid: id,
      event_code: type,
      log_name: "activity",
      original_time: time,
      ...(request_id === null ? {} : { correlation_uid: request_id }),
      product: { name: "touchstone", vendor_name: "Touchstone" },
    },
    actor: {
      app_name: name,
      ...(session === null ? {} : { session: { uid: session } }),
    },
    api: {
      operation: record.tool ?? type,
      service: { name: record.server ?? "touchstone" },
      ...(request_id === null ? {} : { request: { uid: request_id } }),
      ...(status === null ? {} : { response: responseOf(record) }),
    },
    src_endpoint: {
      name,
      ...(version === undefined ? {} : { agent_list: [agent(name, version)] }),
    },
    unmapped: {
      source: record.source,
      status,
      direction: record.direction,
      mode: record.mode,
      decision: record.decision,
      outcome: record.outcome,
      issues: record.issues,
      guard: record.guard,
      schema_hash: record.schema_hash,
      bytes_in: record.bytes_in,
      bytes_out: record.bytes_out,
      arguments: record.arguments,
      result: record.result,
      redactions: record.redactions,
      truncated: record.truncated,
      previous_schema_hash: record.previous_schema_hash,
      prev_hash: record.prev_hash,
      hash: record.hash,
    },
  };
}

/** The client's name and version, as it introduced itself. */
function splitClient(client: string | null): readonly [string, string | undefined] {
  if (client === null) return ["unknown", undefined];
  const at = client.lastIndexOf("/");
  return at <= 0 ? [client, undefined] : [client.slice(0, at), client.slice(at + 1)];
}

function agent(name: string, version: string): Readonly<Record<string, unknown>> {
  return { name, version, type_id: 99, type: "MCP client" };
}

function severityOf({ status }: ActivityRecord): Readonly<Record<string, unknown>> {
  if (status === "blocked" || status === "rejected") return { severity_id: 3, severity: "Medium" };
  if (status === "warning" || status === "error") return { severity_id: 2, severity: "Low" };
  return { severity_id: 1, severity: "Informational" };
}

function statusOf({ status }: ActivityRecord): Readonly<Record<string, unknown>> {
  if (status === null) return { status_id: 0, status: "Unknown" };
  return status === "success" || status === "warning"
    ? { status_id: 1, status: "Success" }
    : { status_id: 2, status: "Failure" };
}

function responseOf({ status, reason }: ActivityRecord): Readonly<Record<string, unknown>> {
  const failed = status !== "success" && status !== "warning";
  return failed ? { error: status, ...(reason === null ? {} : { error_message: reason }) } : {};
}
