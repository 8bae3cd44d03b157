import { type ActivityRecord, FORWARDED_STATUSES, STOPPED_STATUSES } from "../record.ts";
import { placeFields, summaryLine } from "./ecs.ts";

const CATEGORY = { uid: 6, name: "Application Activity" };
const CLASS = { uid: 6003, name: "API Activity" };
/** A tool may do anything, so this is not create, read, update or delete. */
const ACTIVITY = { id: 99 };

/**
 * Returns a record as an event of the Open Cybersecurity Schema Framework 1.6.0, class API Activity
 * (https://schema.ocsf.io/1.6.0/classes/api_activity). `fields.ts` maps each field; fields without an attribute in
 * the class are under `unmapped`.
 */
export function toOcsf(record: ActivityRecord): Readonly<Record<string, unknown>> {
  const { time, type, status, duration_ms } = record;
  const [client, version] = splitClient(record.client);
  const event = {
    category_uid: CATEGORY.uid,
    category_name: CATEGORY.name,
    class_uid: CLASS.uid,
    class_name: CLASS.name,
    activity_id: ACTIVITY.id,
    type_uid: CLASS.uid * 100 + ACTIVITY.id,
    type_name: `${CLASS.name}: Other`,
    time: Date.parse(time),
    ...severityOf(record),
    ...statusOf(record),
    message: summaryLine(record),
    metadata: {
      version: "1.6.0",
      log_name: "activity",
      product: { name: "touchstone", vendor_name: "Touchstone" },
    },
    actor: { app_name: client },
    api: {
      operation: type,
      service: { name: "touchstone" },
      ...(status === null ? {} : { response: responseOf(record) }),
    },
    src_endpoint: {
      name: client,
      ...(version === undefined ? {} : { agent_list: [agent(client, version)] }),
    },
  };
  const duration = duration_ms === null ? null : Math.round(duration_ms);
  const shown = { ...record, duration_ms: duration };
  return placeFields(event, shown, { standard: "ocsf", rest: "unmapped" });
}

/** Returns the client's name and version, as it introduced itself. */
function splitClient(client: string | null): readonly [string, string | undefined] {
  if (client === null) return ["unknown", undefined];
  const at = client.lastIndexOf("/");
  return at <= 0 ? [client, undefined] : [client.slice(0, at), client.slice(at + 1)];
}

function agent(name: string, version: string): Readonly<Record<string, unknown>> {
  return { name, version, type_id: 99, type: "MCP client" };
}

function severityOf({ status }: ActivityRecord): Readonly<Record<string, unknown>> {
  if (STOPPED_STATUSES.has(status)) return { severity_id: 3, severity: "Medium" };
  if (status === "warning" || status === "repaired" || status === "error") {
    return { severity_id: 2, severity: "Low" };
  }
  return { severity_id: 1, severity: "Informational" };
}

function statusOf({ status }: ActivityRecord): Readonly<Record<string, unknown>> {
  if (status === null) return { status_id: 0, status: "Unknown" };
  return FORWARDED_STATUSES.has(status)
    ? { status_id: 1, status: "Success" }
    : { status_id: 2, status: "Failure" };
}

function responseOf({ status, reason }: ActivityRecord): Readonly<Record<string, unknown>> {
  return !FORWARDED_STATUSES.has(status)
    ? { error: status, ...(reason === null ? {} : { error_message: reason }) }
    : {};
}
