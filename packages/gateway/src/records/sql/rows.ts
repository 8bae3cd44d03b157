import { type GuardTrip, type Issue, RULES } from "@touchstone/core";
import { ActivityError } from "../errors.ts";
import type { Field } from "../fields.ts";
import { type ActivityRecord, type FieldNames, RECORD_FIELDS } from "../record.ts";

type Column = FieldNames<{ readonly column: string }>;
type Json = FieldNames<{ readonly column: "json" }>;
type Cell<Value> = null extends Value
  ? Value
  : undefined extends Value
    ? Exclude<Value, undefined> | null
    : Value;
type Cells = {
  readonly [Name in Column]-?: Name extends Json
    ? undefined extends ActivityRecord[Name]
      ? string | null
      : string
    : Cell<ActivityRecord[Name]>;
};

/** A row of table `activity`: a record's fields that have columns, those of type `json` as JSON text, and its place. */
export interface ActivityRow extends Cells {
  /** JSON text of an object with the fields that have no column; `null` if none is set. */
  readonly extra: string | null;
  readonly chain: string;
  /** Position in the chain, from 0 on. */
  readonly seq: number;
  /** The classes of the issues, each once, joined by commas; `null` where there are none. */
  readonly rules: string | null;
}

const FIELD_COLUMNS = RECORD_FIELDS.flatMap(([name, { column }]) =>
  column === undefined ? [] : [{ name: name as Column, type: column }],
);

/** The columns that every insert fills, in the order of their parameters, and the types of their values. */
export const COLUMNS: readonly {
  readonly name: keyof ActivityRow;
  readonly type: NonNullable<Field["column"]>;
}[] = [
  ...FIELD_COLUMNS,
  { name: "chain", type: "text" },
  { name: "seq", type: "integer" },
  { name: "rules", type: "text" },
  { name: "extra", type: "json" },
];

const IN_COLUMNS: ReadonlySet<string> = new Set(FIELD_COLUMNS.map(({ name }) => name));

/** @throws TypeError where `issues` are none */
export function toRow(record: ActivityRecord, chain: string, seq: number): ActivityRow {
  const row: Record<string, unknown> = { chain, seq };
  for (const { name, type } of FIELD_COLUMNS) {
    const value = record[name] ?? null;
    row[name] = type === "json" && value !== null ? JSON.stringify(value) : value;
  }
  row["rules"] = rulesOf(record.issues);
  row["extra"] = extraOf(record);
  return row as unknown as ActivityRow;
}

/** What a record has beside its columns, as JSON text: also fields that a newer release has added. */
function extraOf(record: ActivityRecord): string | null {
  const extra = Object.entries(record).filter(
    ([name, value]) => !IN_COLUMNS.has(name) && value !== undefined,
  );
  return extra.length === 0 ? null : JSON.stringify(Object.fromEntries(extra));
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
 * @throws ActivityError `RECORD_UNREADABLE` where a column of JSON text lost its shape
 */
export function fromRow(row: ActivityRow, path: string): ActivityRecord {
  const unreadable = (column: string): ActivityError =>
    new ActivityError(
      "RECORD_UNREADABLE",
      `Record ${row.id} in ${path} was changed by something other than touchstone: its ${column} ` +
        "cannot be read. Restore the database from a backup, or delete that row.",
    );
  const extra = row.extra === null ? {} : parse(row.extra);
  if (!isObject(extra) || Object.keys(extra).some((name) => IN_COLUMNS.has(name))) {
    throw unreadable("extra");
  }
  const record: Record<string, unknown> = {};
  for (const [name, { column, unset, schema }] of RECORD_FIELDS) {
    if (column === undefined) {
      if (!Object.hasOwn(extra, name)) continue;
      record[name] = extra[name];
      if (!isOfType(record[name], schema.type)) throw unreadable("extra");
      continue;
    }
    const value = row[name as Column];
    if (value === null && unset === undefined) continue;
    record[name] = column === "json" ? parse(String(value)) : value;
    if (column === "json" && !IS_VALUE[name as Json](record[name])) throw unreadable(name);
  }
  // Fields of a newer release stay, since the hash covers them.
  return { ...record, ...extra } as unknown as ActivityRecord;
}

function isOfType(value: unknown, type: Field["schema"]["type"]): boolean {
  if (type === "array") return Array.isArray(value);
  return type === "object"
    ? isObject(value)
    : typeof value === (type === "integer" ? "number" : type);
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

const IS_VALUE: { readonly [Name in Json]: (value: unknown) => boolean } = {
  issues: isIssueList,
  guard: isGuardTrip,
};

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
