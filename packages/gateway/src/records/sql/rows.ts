import { type GuardTrip, type Issue, RULES } from "@touchstone/core";
import { ActivityError } from "../errors.ts";
import { type ActivityRecord, RECORD_FIELDS } from "../record.ts";

type Optional =
  | "guard"
  | "arguments"
  | "result"
  | "redactions"
  | "truncated"
  | "previous_schema_hash";

/** A row of table `activity`: a record with its place in a chain, `issues` and `guard` as JSON text. */
export interface ActivityRow extends Omit<ActivityRecord, "issues" | Optional> {
  readonly issues: string;
  readonly guard: string | null;
  readonly arguments: string | null;
  readonly result: string | null;
  readonly redactions: number | null;
  readonly truncated: number | null;
  readonly previous_schema_hash: string | null;
  readonly chain: string;
  /** Position in the chain, from 0 on. */
  readonly seq: number;
  /** The classes of the issues, each once, joined by commas; `null` where there are none. */
  readonly rules: string | null;
}

/** The columns that every insert fills, in the order of their parameters. */
export const COLUMNS: readonly (keyof ActivityRow)[] = [...RECORD_FIELDS, "chain", "seq", "rules"];

export function toRow(record: ActivityRecord, chain: string, seq: number): ActivityRow {
  return {
    ...record,
    issues: JSON.stringify(record.issues),
    guard: record.guard === undefined ? null : JSON.stringify(record.guard),
    arguments: record.arguments ?? null,
    result: record.result ?? null,
    redactions: record.redactions ?? null,
    truncated: record.truncated ?? null,
    previous_schema_hash: record.previous_schema_hash ?? null,
    chain,
    seq,
    rules: rulesOf(record.issues),
  };
}

/** The classes of issues, as they stand in a row. */
export function rulesOf(issues: readonly Issue[]): string | null {
  if (issues.length === 0) return null;
  const present = new Set(issues.map((issue) => issue.rule));
  return RULES.filter((rule) => present.has(rule)).join(",");
}

/** Whether a row is found by the classes of the issues in it, in whichever order they stand. */
export function hasOwnRules(
  { rules }: Pick<ActivityRow, "rules">,
  { issues }: ActivityRecord,
): boolean {
  const listed = rules === null ? [] : rules.split(",");
  const own = new Set<string>(issues.map(({ rule }) => rule));
  const known = rulesOf(issues)?.split(",") ?? [];
  return listed.every((rule) => own.has(rule)) && known.every((rule) => listed.includes(rule));
}

/**
 * The record in a row. What was changed into other values of the right shape is given as it stands;
 * `verifyChain` finds it.
 *
 * @throws ActivityError `RECORD_UNREADABLE` where `issues` or `guard` lost their shape
 */
export function fromRow(row: ActivityRow, path: string): ActivityRecord {
  const unreadable = (column: string): ActivityError =>
    new ActivityError(
      "RECORD_UNREADABLE",
      `Record ${row.id} in ${path} was changed by something other than touchstone: its ${column} ` +
        "cannot be read. Restore the database from a backup, or delete that row.",
    );
  const { issues, guard } = row;
  const issueList = parse(issues);
  if (!isIssueList(issueList)) {
    throw unreadable("issues");
  }
  const guardTrip = guard === null ? undefined : parse(guard);
  if (guard !== null && !isGuardTrip(guardTrip)) {
    throw unreadable("guard");
  }
  return {
    id: row.id,
    time: row.time,
    type: row.type,
    source: row.source,
    server: row.server,
    tool: row.tool,
    direction: row.direction,
    mode: row.mode,
    decision: row.decision,
    status: row.status,
    outcome: row.outcome,
    reason: row.reason,
    issues: issueList,
    ...(isGuardTrip(guardTrip) ? { guard: guardTrip } : {}),
    schema_hash: row.schema_hash,
    client: row.client,
    session: row.session,
    request_id: row.request_id,
    bytes_in: row.bytes_in,
    bytes_out: row.bytes_out,
    duration_ms: row.duration_ms,
    ...(row.arguments === null ? {} : { arguments: row.arguments }),
    ...(row.result === null ? {} : { result: row.result }),
    ...(row.redactions === null ? {} : { redactions: row.redactions }),
    ...(row.truncated === null ? {} : { truncated: row.truncated }),
    ...(row.previous_schema_hash === null
      ? {}
      : { previous_schema_hash: row.previous_schema_hash }),
    prev_hash: row.prev_hash,
    hash: row.hash,
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isIssueList(value: unknown): value is readonly Issue[] {
  return Array.isArray(value) && value.every(isIssue);
}

function isIssue(value: unknown): value is Issue {
  return (
    isObject(value) &&
    typeof value["path"] === "string" &&
    typeof value["message"] === "string" &&
    typeof value["rule"] === "string" &&
    (value["keyword"] === undefined || typeof value["keyword"] === "string")
  );
}

function isGuardTrip(value: unknown): value is GuardTrip {
  return (
    isObject(value) &&
    typeof value["guard"] === "string" &&
    typeof value["limit"] === "number" &&
    typeof value["actual"] === "number"
  );
}
