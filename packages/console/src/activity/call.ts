import { numberOf, readList, textOf, textsOf } from "../api/gateway.ts";
import { isObject } from "../json/object.ts";
import { type ActivityRecord, readRecord } from "./record.ts";

const TEXTS = [
  "server",
  "tool",
  "client",
  "caller",
  "session",
  "source",
  "status",
  "decision",
  "direction",
  "mode",
  "outcome",
  "reason",
  "issue",
  "repairs",
  "request_id",
] as const;
const NUMBERS = ["issues", "bytes_in", "bytes_out", "duration_ms"] as const;

/** The categories by which the calls of a time step are counted. */
export type Counted = "success" | "repaired" | "warning" | "error" | "rejected" | "blocked";

/** The calls of one time step. */
export interface Bucket extends Readonly<Record<Counted, number>> {
  /** Milliseconds since 1970. */
  readonly time: number;
}

/** One call with the decisions about it, as returned by `GET /api/v1/calls`; members that do not apply are null. */
export interface Call
  extends Readonly<Record<(typeof TEXTS)[number], string | null>>,
    Readonly<Record<(typeof NUMBERS)[number], number | null>> {
  /** Id of one of its records. */
  readonly id: string;
  /** RFC 3339. */
  readonly time: string;
  /** Classes of its issues. */
  readonly rules: readonly string[];
}

/** Reads a call; undefined if it has no id or time. */
export function readCall(item: unknown): Call | undefined {
  const [id, time] = [textOf(item, "id"), textOf(item, "time")];
  if (!isObject(item) || id === null || time === null) return undefined;
  const texts = Object.fromEntries(TEXTS.map((name) => [name, textOf(item, name)]));
  const numbers = Object.fromEntries(NUMBERS.map((name) => [name, numberOf(item, name)]));
  return { ...texts, ...numbers, id, time, rules: textsOf(item["rules"]) ?? [] } as Call;
}

/** A call with everything recorded about it, and what came before and after it. */
export interface CallDetail {
  /** Null if the record does not belong to a call. */
  readonly call: Call | null;
  /** Oldest first. */
  readonly records: readonly ActivityRecord[];
  /** What the client received instead of a blocked message. */
  readonly received: string | null;
  /** The next call of the same tool in the conversation. */
  readonly nextAttempt: Call | null;
  /** Ids of the rows above and below in the list with the same filters. */
  readonly newer: string | null;
  readonly older: string | null;
}

/** Reads the response of `GET /api/v1/calls/{id}`; undefined if it is invalid. */
export function readCallDetail(answer: unknown): CallDetail | undefined {
  if (!isObject(answer)) return undefined;
  const records = readList(answer["records"], readRecord);
  if (records === undefined) return undefined;
  return {
    call: readCall(answer["call"]) ?? null,
    records,
    received: textOf(answer, "received"),
    nextAttempt: readCall(answer["next_attempt"]) ?? null,
    newer: textOf(answer, "newer"),
    older: textOf(answer, "older"),
  };
}

/** Values seen in past calls, for use in filters. */
export type KnownValues = Readonly<Record<string, readonly string[]>>;

/** Reads the response of `GET /api/v1/calls/values`, by filter name. */
export function readValues(answer: unknown): KnownValues {
  if (!isObject(answer)) return {};
  const tools = readList(answer["tools"], (item) => textOf(item, "tool") ?? undefined) ?? [];
  return {
    server: textsOf(answer["servers"]) ?? [],
    tool: [...new Set(tools)],
    client: textsOf(answer["clients"]) ?? [],
    caller: textsOf(answer["callers"]) ?? [],
    session: textsOf(answer["sessions"]) ?? [],
    rule: textsOf(answer["rules"]) ?? [],
  };
}
