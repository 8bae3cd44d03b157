import type { ActivityRecord } from "../record.ts";
import type { ActivityRow } from "../sql/rows.ts";

/** What stands in front of the digest of a session. */
export const SESSION_START = "sha256:";

export const KIND_COLUMNS = [
  "type",
  "source",
  "server",
  "tool",
  "direction",
  "mode",
  "decision",
  "status",
  "outcome",
  "reason",
  "issues",
  "rules",
  "schema_hash",
  "client",
] as const;

/** What calls of one tool by one client, say, have in common: these columns have the same values. */
export type RecordKind = Pick<ActivityRow, (typeof KIND_COLUMNS)[number]>;

/** A record of a known kind: what is its own, in the characters of the journal. */
export interface KnownRecord {
  readonly kind: RecordKind;
  readonly id: string;
  readonly time: string;
  readonly request: string;
  /** The digest in it; empty for `null`. */
  readonly session: string;
  readonly prevHash: string;
  readonly hash: string;
  /** Digits; empty for `null`, as in the two that follow. */
  readonly bytesIn: string;
  readonly bytesOut: string;
  /** A thousandth of a millisecond is the unit. */
  readonly duration: string;
}

/** A record of a kind that is not known. */
export interface ParsedRecord {
  readonly kind?: undefined;
  /** What `JSON.parse` gave; nothing in it is judged yet. */
  readonly parsed: ActivityRecord;
}

/** The whole of a record of a known kind. */
export function recordOf(known: KnownRecord): ActivityRecord {
  const { rules: _, issues, ...shared } = known.kind;
  const number = (digits: string): number | null => (digits === "" ? null : Number(digits));
  const duration = number(known.duration);
  return {
    ...shared,
    issues: JSON.parse(issues) as ActivityRecord["issues"],
    id: known.id,
    time: known.time,
    request_id: known.request,
    session: known.session === "" ? null : SESSION_START + known.session,
    bytes_in: number(known.bytesIn),
    bytes_out: number(known.bytesOut),
    duration_ms: duration === null ? null : duration / 1000,
    prev_hash: known.prevHash,
    hash: known.hash,
  };
}
