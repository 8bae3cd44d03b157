import type { GuardTrip, Issue, Outcome } from "@touchstone/core";
import type { Decision, Direction, Mode } from "../policy/settings.ts";

export const ACTIVITY_TYPES = [
  "tool_call",
  "policy_decision",
  "schema_change",
  "server_change",
  "config_change",
  "system_start",
  "system_stop",
] as const;
export type ActivityType = (typeof ACTIVITY_TYPES)[number];

export const ACTIVITY_SOURCES = ["gateway", "http", "cli", "runner"] as const;
export type ActivitySource = (typeof ACTIVITY_SOURCES)[number];

/** How a call ended; of a decision, the decision itself. */
export const ACTIVITY_STATUSES = ["success", "error", "blocked", "warning", "rejected"] as const;
export type ActivityStatus = (typeof ACTIVITY_STATUSES)[number];

/** What a caller hands in; the log adds `id`, `time`, `prev_hash` and `hash`. */
export interface ActivityEntry {
  readonly type: ActivityType;
  readonly source: ActivitySource;
  /** The server's name in the configuration, or `--name`. */
  readonly server?: string | undefined;
  readonly tool?: string | undefined;
  readonly direction?: Direction | undefined;
  readonly mode?: Mode | undefined;
  readonly decision?: Decision | undefined;
  readonly status?: ActivityStatus | undefined;
  readonly outcome?: Outcome | undefined;
  /** One line for people. */
  readonly reason?: string | undefined;
  readonly issues?: readonly Issue[] | undefined;
  /** How many issues there are beside those. */
  readonly truncated?: number | undefined;
  readonly guard?: GuardTrip | undefined;
  /** `sha256:` and the hex digest of the schema that was applied. */
  readonly schema_hash?: string | undefined;
  /** Of a changed tool, the digest of the schema that it had before. */
  readonly previous_schema_hash?: string | undefined;
  /** `name/version` as the client introduced itself. */
  readonly client?: string | undefined;
  /** `sha256:` and the hex digest of the session id; the id itself is never kept. */
  readonly session?: string | undefined;
  /** Links the records of one request; made by the gateway. */
  readonly request_id?: string | undefined;
  /** Size of the request's frame in bytes. */
  readonly bytes_in?: number | undefined;
  /** Size of the answer's frame in bytes. */
  readonly bytes_out?: number | undefined;
  readonly duration_ms?: number | undefined;
  /** JSON text of the call's arguments. Kept only where the store was told to keep bodies. */
  readonly arguments?: Uint8Array | undefined;
  /** JSON text of the call's result. Kept only where the store was told to keep bodies. */
  readonly result?: Uint8Array | undefined;
}

/**
 * One line of evidence. Fields that do not apply are `null`, so that every record has the same
 * shape; `guard` is absent if no guard tripped, `truncated` if `issues` has them all, `previous_schema_hash` if no schema was replaced, and the bodies and `redactions`
 * if nothing was kept.
 */
export interface ActivityRecord {
  /** ULID: sorts by time. */
  readonly id: string;
  /** RFC 3339, UTC, milliseconds. */
  readonly time: string;
  readonly type: ActivityType;
  readonly source: ActivitySource;
  readonly server: string | null;
  readonly tool: string | null;
  readonly direction: Direction | null;
  readonly mode: Mode | null;
  readonly decision: Decision | null;
  readonly status: ActivityStatus | null;
  readonly outcome: Outcome | null;
  readonly reason: string | null;
  readonly issues: readonly Issue[];
  readonly guard?: GuardTrip;
  readonly schema_hash: string | null;
  readonly client: string | null;
  readonly session: string | null;
  readonly request_id: string | null;
  readonly bytes_in: number | null;
  readonly bytes_out: number | null;
  readonly duration_ms: number | null;
  /** Arguments as JSON text with secrets taken out; one that was cut short ends in `…`. */
  readonly arguments?: string;
  /** The result, kept like `arguments`. */
  readonly result?: string;
  /** How many secrets were taken out of the record; absent where there were none and no bodies. */
  readonly redactions?: number;
  /** How many issues there were beside those in `issues`; absent if there were none. */
  readonly truncated?: number;
  /** Of a `schema_change`, `sha256:` and the hex digest of the schema before; absent if there was none. */
  readonly previous_schema_hash?: string;
  /** Hash of the record before it in the same chain; of a chain's first record, 64 zeros. */
  readonly prev_hash: string;
  /** SHA-256 over the record without `hash`, in canonical JSON (RFC 8785), in hex. */
  readonly hash: string;
}

/** The fields of a record, in the order in which tables and exports have them. */
export const RECORD_FIELDS: readonly (keyof ActivityRecord)[] = [
  "id",
  "time",
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
  "guard",
  "schema_hash",
  "client",
  "session",
  "request_id",
  "bytes_in",
  "bytes_out",
  "duration_ms",
  "arguments",
  "result",
  "redactions",
  "truncated",
  "previous_schema_hash",
  "prev_hash",
  "hash",
];

/** Where a relay leaves its evidence. */
export interface ActivityLog {
  /**
   * Writes the entries in order, in one transaction, as the next links of this process's chain.
   * Calls that come together share a transaction. Resolves once the entries are durable; rejects
   * with an `ActivityError` when they could not be kept, as does every call that shared with it.
   */
  append(entries: readonly ActivityEntry[]): Promise<readonly ActivityRecord[]>;
  close(): Promise<void>;
}
