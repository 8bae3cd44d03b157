import type { GuardTrip, Issue } from "@touchstone/core";
import { ActivityError } from "../errors.ts";
import type { ActivityRecord } from "../record.ts";

/** A row of table `activity`: a record with its place in a chain, `issues` and `guard` as JSON text. */
export interface ActivityRow extends Omit<ActivityRecord, "issues" | "guard"> {
  readonly issues: string;
  readonly guard: string | null;
  readonly chain: string;
  readonly seq: number;
}

export function toRow(record: ActivityRecord, chain: string, seq: number): ActivityRow {
  return {
    ...record,
    issues: JSON.stringify(record.issues),
    guard: record.guard === undefined ? null : JSON.stringify(record.guard),
    chain,
    seq,
  };
}

/**
 * The record in a row. What was changed into other values of the right shape is given as it stands;
 * `verifyChain` finds it.
 *
 * @throws ActivityError `RECORD_UNREADABLE` where `issues` or `guard` lost their shape
 */
export function fromRow(row: ActivityRow, path: string): ActivityRecord {
  const { chain: _chain, seq: _seq, issues, guard, duration_ms, prev_hash, hash, ...rest } = row;
  const unreadable = (column: string): ActivityError =>
    new ActivityError(
      "RECORD_UNREADABLE",
      `Record ${row.id} in ${path} was changed by something other than touchstone: its ${column} ` +
        "cannot be read. Restore the database from a backup, or delete that row.",
    );
  const issueList = parse(issues);
  if (!isIssueList(issueList)) {
    throw unreadable("issues");
  }
  const guardTrip = guard === null ? undefined : parse(guard);
  if (guard !== null && !isGuardTrip(guardTrip)) {
    throw unreadable("guard");
  }
  const { schema_hash, client, session, request_id, bytes_in, bytes_out, ...head } = rest;
  return {
    ...head,
    issues: issueList,
    ...(isGuardTrip(guardTrip) ? { guard: guardTrip } : {}),
    schema_hash,
    client,
    session,
    request_id,
    bytes_in,
    bytes_out,
    duration_ms,
    prev_hash,
    hash,
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
