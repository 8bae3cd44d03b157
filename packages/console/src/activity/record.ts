import { numberOf, textOf } from "../api/gateway.ts";
import { isObject } from "../json/object.ts";

/** One thing wrong, as a record holds it. */
export interface RecordIssue {
  /** RFC 6901 pointer into what was checked. */
  readonly path: string;
  readonly message: string;
  readonly rule: string | null;
  readonly keyword: string | null;
  /** Where in the schema the keyword is, as a URI fragment. */
  readonly schemaPath: string | null;
  /** The engine's own location. */
  readonly instancePath: string | null;
  /** The engine's parameters for the keyword. */
  readonly params: Readonly<Record<string, unknown>> | null;
}

/** Members of a record that are text where they apply. */
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

/** A record of the activity as `GET /api/v1/activity` gives it; what does not apply is null. */
export interface ActivityRecord
  extends Readonly<Record<(typeof TEXTS)[number], string | null>>,
    Readonly<Record<(typeof NUMBERS)[number], number | null>> {
  readonly id: string;
  /** RFC 3339. */
  readonly time: string;
  readonly type: string;
  readonly issues: readonly RecordIssue[];
  /** Fields that the page has no use for but to show them, as the gateway sent them. */
  readonly others: readonly (readonly [name: string, value: string | number | boolean])[];
}

/** The page has no need of `guard`: the reason says it. */
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

/** Returns the named members of a record, each read alike. */
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

/** A page of records, newest first. */
export interface ActivityPart {
  readonly records: readonly ActivityRecord[];
  /** How many records there are in all. */
  readonly total: number;
  /** Gives the page after this one; absent on the last. */
  readonly next?: string;
}

/** Reads a page of the listing; undefined if it is none. */
export function readPart(answer: unknown): ActivityPart | undefined {
  const total = numberOf(answer, "total");
  if (!isObject(answer) || !Array.isArray(answer["activities"]) || total === null) return undefined;
  const records = answer["activities"].map(readRecord).filter((record) => record !== undefined);
  const next = textOf(answer, "next_cursor");
  return { records, total, ...(next === null ? {} : { next }) };
}
