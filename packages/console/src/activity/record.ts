import { numberOf, textOf } from "../api/gateway.ts";
import { isObject } from "../json/object.ts";

/** One issue, as stored in a record. */
export interface RecordIssue {
  /** RFC 6901 pointer into what was checked. */
  readonly path: string;
  readonly message: string;
  readonly rule: string | null;
  readonly keyword: string | null;
  /** Location of the keyword in the schema, as a URI fragment. */
  readonly schemaPath: string | null;
  /** The engine's own location. */
  readonly instancePath: string | null;
  /** The engine's parameters for the keyword. */
  readonly params: Readonly<Record<string, unknown>> | null;
}

/** Members of a record that are text, if they apply. */
const TEXTS = [
  "source",
  "server",
  "tool",
  "direction",
  "mode",
  "decision",
  "status",
  "outcome",
  "reason",
  "repairs",
  "schema_hash",
  "previous_schema_hash",
  "client",
  "session",
  "request_id",
  "prev_hash",
  "hash",
  "arguments",
  "result",
] as const;
const NUMBERS = ["bytes_in", "bytes_out", "duration_ms", "redactions", "truncated"] as const;

/** A record of the activity as returned by `GET /api/v1/activity`; members that do not apply are null. */
export interface ActivityRecord
  extends Readonly<Record<(typeof TEXTS)[number], string | null>>,
    Readonly<Record<(typeof NUMBERS)[number], number | null>> {
  readonly id: string;
  /** RFC 3339. */
  readonly time: string;
  readonly type: string;
  readonly issues: readonly RecordIssue[];
  /** Other fields, as the gateway sent them; the page only displays them. */
  readonly others: readonly (readonly [name: string, value: string | number | boolean])[];
}

/** The page does not need `guard`: the reason already states it. */
const KNOWN: ReadonlySet<string> = new Set([
  ...TEXTS,
  ...NUMBERS,
  "id",
  "time",
  "type",
  "issues",
  "guard",
]);

function isShown(
  member: [name: string, value: unknown],
): member is [string, string | number | boolean] {
  const [name, value] = member;
  return !KNOWN.has(name) && ["string", "number", "boolean"].includes(typeof value);
}

/** Returns the named members of a record, all read the same way. */
function members<Name extends string, T>(
  names: readonly Name[],
  read: (name: Name) => T,
): Readonly<Record<Name, T>> {
  return Object.fromEntries(names.map((name) => [name, read(name)])) as Record<Name, T>;
}

function readIssue(item: unknown): RecordIssue | undefined {
  const [path, message] = [textOf(item, "path"), textOf(item, "message")];
  if (path === null || message === null) return undefined;
  return {
    path,
    message,
    rule: textOf(item, "rule"),
    keyword: textOf(item, "keyword"),
    schemaPath: textOf(item, "schemaPath"),
    instancePath: textOf(item, "instancePath"),
    params: isObject(item) && isObject(item["params"]) ? item["params"] : null,
  };
}

/** Reads a record; undefined if it has no id, time or type. */
export function readRecord(item: unknown): ActivityRecord | undefined {
  const [id, time, type] = [textOf(item, "id"), textOf(item, "time"), textOf(item, "type")];
  if (!isObject(item) || id === null || time === null || type === null) return undefined;
  const given = Array.isArray(item["issues"]) ? item["issues"] : [];
  const issues = given.map(readIssue).filter((issue) => issue !== undefined);
  return {
    ...members(TEXTS, (name) => textOf(item, name)),
    ...members(NUMBERS, (name) => numberOf(item, name)),
    id,
    time,
    type,
    issues,
    others: Object.entries(item).filter(isShown),
  };
}

/** The server and the tool of a record or a call, as one name. */
export function namesOf({ server, tool }: Pick<ActivityRecord, "server" | "tool">): string {
  return [server, tool].filter((name) => name !== null).join(" / ");
}

/** A page of records, newest first. */
export interface ActivityPart {
  readonly records: readonly ActivityRecord[];
  /** The total number of records. */
  readonly total: number;
  /** Cursor for the next page; absent on the last page. */
  readonly next?: string;
}

/** Reads a page of the listing; undefined if it is invalid. */
export function readPart(answer: unknown): ActivityPart | undefined {
  const total = numberOf(answer, "total");
  if (!isObject(answer) || !Array.isArray(answer["activities"]) || total === null) return undefined;
  const records = answer["activities"].map(readRecord).filter((record) => record !== undefined);
  const next = textOf(answer, "next_cursor");
  return { records, total, ...(next === null ? {} : { next }) };
}
