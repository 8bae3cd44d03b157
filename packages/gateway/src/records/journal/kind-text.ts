import { canonicalRecord } from "../canonical-record.ts";
import type { ActivityRecord } from "../record.ts";
import { rulesOf } from "../sql/rows.ts";
import { KIND_COLUMNS, type RecordKind } from "./known-record.ts";

/** The characters in which a sealed record stands in a journal; `undefined` for what is no record. */
export function sealedText(record: ActivityRecord): string | undefined {
  try {
    return `${canonicalRecord(record, record.prev_hash).slice(0, -1)},"hash":"${record.hash}"}`;
  } catch {
    return undefined;
  }
}

/** Whether it has no more than what others have, too. */
export function isUsual(record: ActivityRecord): boolean {
  if (typeof record !== "object" || record === null || !Array.isArray(record.issues)) return false;
  if (record.arguments !== undefined || record.result !== undefined) return false;
  if (record.truncated !== undefined || record.previous_schema_hash !== undefined) return false;
  return record.guard === undefined && record.redactions === undefined;
}

/** `undefined` for what is no record. */
export function kindOf(record: ActivityRecord): RecordKind | undefined {
  const issues = JSON.stringify(record.issues);
  const kind: Record<string, unknown> = {};
  for (const column of KIND_COLUMNS) {
    const value =
      column === "issues" ? issues : column === "rules" ? rulesOrNot(record) : record[column];
    if (value !== null && typeof value !== "string") return undefined;
    kind[column] = value;
  }
  return kind as RecordKind;
}

function rulesOrNot({ issues }: ActivityRecord): string | null | undefined {
  try {
    return rulesOf(issues);
  } catch {
    return undefined;
  }
}

/**
 * What stands between the values of a record's own, as `canonicalRecord` writes it. Not by that function:
 * it takes the words of this project as they stand, and here they come from a file, where they may be any.
 */
export function textsOf(kind: RecordKind): readonly string[] {
  const of = (value: string | null): string => JSON.stringify(value);
  return [
    `,"client":${of(kind.client)},"decision":${of(kind.decision)},"direction":${of(kind.direction)},"duration_ms":`,
    `","issues":${kind.issues},"mode":${of(kind.mode)},"outcome":${of(kind.outcome)},"prev_hash":"`,
    `","reason":${of(kind.reason)},"request_id":"`,
    `","schema_hash":${of(kind.schema_hash)},"server":${of(kind.server)},"session":`,
    `,"source":${of(kind.source)},"status":${of(kind.status)},"time":"`,
    `","tool":${of(kind.tool)},"type":${of(kind.type)},"hash":"`,
  ];
}
