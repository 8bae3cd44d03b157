import {
  type ActivityRecord,
  type ActivityType,
  FORWARDED_STATUSES,
  RECORD_FIELDS,
  STOPPED_STATUSES,
} from "../record.ts";

/** `event.type` of the Elastic Common Schema by type of record; calls and decisions are handled below. */
const EVENT_TYPES: Readonly<Record<ActivityType, string>> = {
  tool_call: "access",
  policy_decision: "info",
  schema_change: "change",
  list_change: "change",
  server_change: "change",
  config_change: "change",
  system_start: "start",
  system_stop: "end",
};

/**
 * Returns a record as an event of the Elastic Common Schema 8.17
 * (https://www.elastic.co/docs/reference/ecs/ecs-field-reference). `fields.ts` maps each field; fields without an ECS
 * field are under `touchstone`.
 */
export function toEcs(record: ActivityRecord): Readonly<Record<string, unknown>> {
  const { type, status, decision, duration_ms } = record;
  const isAboutCall = type === "tool_call" || type === "policy_decision";
  const stopped = decision === "blocked" || STOPPED_STATUSES.has(status);
  const verdict = stopped ? "denied" : "allowed";
  const event = {
    "ecs.version": "8.17.0",
    message: summaryLine(record),
    event: {
      kind: "event",
      category: [isAboutCall ? "api" : type === "config_change" ? "configuration" : "process"],
      type: isAboutCall ? [EVENT_TYPES[type], verdict] : [EVENT_TYPES[type]],
      outcome: outcomeOf(record),
      module: "touchstone",
      dataset: "touchstone.activity",
    },
  };
  // In nanoseconds.
  const duration = duration_ms === null ? null : Math.round(duration_ms * 1e6);
  return placeFields(
    event,
    { ...record, duration_ms: duration },
    { standard: "ecs", rest: "touchstone" },
  );
}

/**
 * Puts the set fields of a record into the places of a standard, and all others, set or not, under a separate member.
 * @param event becomes the returned event
 */
export function placeFields(
  event: Record<string, unknown>,
  record: ActivityRecord,
  { standard, rest }: { readonly standard: "ecs" | "ocsf"; readonly rest: string },
): Record<string, unknown> {
  const others: Record<string, unknown> = {};
  for (const [name, field] of RECORD_FIELDS) {
    const value = record[name];
    const places = field[standard];
    if (places === undefined) others[name] = value;
    else if (value !== null && value !== undefined)
      for (const place of places) put(event, place.split("."), value);
  }
  event[rest] = others;
  return event;
}

function put(event: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [member = "", ...below] = path;
  if (below.length === 0) {
    event[member] = value;
    return;
  }
  event[member] ??= {};
  put(event[member] as Record<string, unknown>, below, value);
}

/** One line for people. */
export function summaryLine(record: ActivityRecord): string {
  const what = [record.server, record.tool].filter((name) => name !== null).join("/");
  const verdict = record.status ?? record.decision;
  const head = [record.type, what, verdict].filter((word) => word).join(" ");
  return record.reason === null ? head : `${head}: ${record.reason}`;
}

function outcomeOf({ status }: ActivityRecord): "success" | "failure" | "unknown" {
  if (status === null) return "unknown";
  return FORWARDED_STATUSES.has(status) ? "success" : "failure";
}
