import { boundIssues, boundText, MAX_NAME_LENGTH, MAX_REASON_LENGTH } from "./bounds.ts";
import type { UnsealedRecord } from "./chain.ts";
import type { ActivityEntry } from "./record.ts";

/**
 * Gives an entry the full shape of a record: absent fields become `null`, and everything that a
 * server, a client or a tool may name is cut to its bound. Issues that were dropped to stay inside
 * the bound are counted at the end of `reason`: `(2 more issues were not kept)`.
 *
 * @param id the record's ULID
 * @param time when it was recorded
 */
export function buildRecord(entry: ActivityEntry, id: string, time: Date): UnsealedRecord {
  const { issues, dropped } = boundIssues(entry.issues ?? []);
  return {
    id,
    time: time.toISOString(),
    type: entry.type,
    source: entry.source,
    server: name(entry.server),
    tool: name(entry.tool),
    direction: entry.direction ?? null,
    mode: entry.mode ?? null,
    decision: entry.decision ?? null,
    status: entry.status ?? null,
    outcome: entry.outcome ?? null,
    reason: reasonWith(entry.reason, dropped),
    issues,
    ...(entry.guard === undefined
      ? {}
      : {
          guard: {
            guard: entry.guard.guard,
            limit: finite(entry.guard.limit) ?? 0,
            actual: finite(entry.guard.actual) ?? 0,
          },
        }),
    schema_hash: name(entry.schema_hash),
    client: name(entry.client),
    session: name(entry.session),
    request_id: name(entry.request_id),
    bytes_in: count(entry.bytes_in),
    bytes_out: count(entry.bytes_out),
    duration_ms: finite(entry.duration_ms),
  };
}

/** A name as records keep it; filters cut theirs alike, so that a cut name is still found. */
export function boundName(text: string): string {
  return boundText(text, MAX_NAME_LENGTH);
}

function name(text: string | undefined): string | null {
  return text === undefined ? null : boundName(text);
}

function reasonWith(reason: string | undefined, dropped: number): string | null {
  if (dropped === 0) {
    return reason === undefined ? null : boundText(reason, MAX_REASON_LENGTH);
  }
  const note = `(${dropped} more ${dropped === 1 ? "issue was" : "issues were"} not kept)`;
  if (reason === undefined) {
    return note;
  }
  return `${boundText(reason, MAX_REASON_LENGTH - note.length - 1)} ${note}`;
}

/** `+ 0` turns a negative zero, which JSON cannot tell apart, into zero. */
function finite(value: number | undefined): number | null {
  return value === undefined || !Number.isFinite(value) ? null : value + 0;
}

function count(value: number | undefined): number | null {
  return value !== undefined && Number.isSafeInteger(value) && value >= 0 ? value + 0 : null;
}
