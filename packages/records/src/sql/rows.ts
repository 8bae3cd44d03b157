import type { GuardTrip, Issue } from "@touchstone/core/advanced";
import { RULES } from "@touchstone/core/plain";
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

/** A row of table `activity`: a record's fields with columns (those of type `json` as JSON text), and its position. */
export interface ActivityRow extends Cells {
  /** JSON text of an object with the fields that have no column; `null` if none is set. */
  readonly extra: string | null;
  readonly chain: string;
  /** Position in the chain, from 0 on. */
  readonly seq: number;
  /** The classes of the issues, each once, joined by commas; `null` if there are none. */
  readonly rules: string | null;
}

const FIELD_COLUMNS = RECORD_FIELDS.flatMap(([name, { column }]) =>
  column === undefined ? [] : [{ name: name as Column, type: column }],
);

/** The columns of every insert, in the order of parameters, and the types of their values. */
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

/**
 * Returns the values of a record's row, in the order of {@link COLUMNS}.
 * @throws TypeError if `issues` are invalid
 */
export function rowValues(record: ActivityRecord, chain: string, seq: number): readonly unknown[] {
  const values: unknown[] = [];
  for (const { name, type } of FIELD_COLUMNS) {
    const value = record[name] ?? null;
    values.push(type === "json" && value !== null ? JSON.stringify(value) : value);
  }
  values.push(chain, seq, issueRules(record.issues), extraOf(record));
  return values;
}

/** Returns a record's fields without columns, as JSON text, including fields of a newer release. */
function extraOf(record: ActivityRecord): string | null {
  let members = "";
  const values = record as unknown as Readonly<Record<string, unknown>>;
  for (const name of Object.keys(record)) {
    const value = IN_COLUMNS.has(name) ? undefined : values[name];
    if (value === undefined) continue;
    members += `${members === "" ? "" : ","}${JSON.stringify(name)}:${JSON.stringify(value)}`;
  }
  return members === "" ? null : `{${members}}`;
}

/** Returns the classes of issues in their form in a row. */
export function issueRules(issues: readonly Issue[]): string | null {
  if (issues.length === 0) return null;
  const present = new Set(issues.map((issue) => issue.rule));
  return RULES.filter((rule) => present.has(rule)).join(",");
}

/** Returns whether the classes of a row equal those of its issues, in any order. */
export function hasOwnRules(
  { rules }: Pick<ActivityRow, "rules">,
  { issues }: ActivityRecord,
): boolean {
  const listed = rules === null ? [] : rules.split(",");
  const own = new Set<string>(issues.map(({ rule }) => rule));
  const known = issueRules(issues)?.split(",") ?? [];
  return listed.every((rule) => own.has(rule)) && known.every((rule) => listed.includes(rule));
}

/**
 * Returns the record in a row. Values that were tampered with but have the right type are returned unchanged;
 * `verifyChain` finds them.
 *
 * @throws ActivityError `RECORD_UNREADABLE` if a column of JSON text is invalid
 */
export function fromRow(row: ActivityRow, path: string): ActivityRecord {
  const unreadable = (column: string): ActivityError =>
    new ActivityError(
      "RECORD_UNREADABLE",
      `Record ${row.id} in ${path} was changed by something other than touchstone: its ${column} ` +
        "cannot be read. Restore the database from a backup, or delete that row.",
    );
  const extra = row.extra === null ? {} : parse(row.extra);
  if (!isObject(extra)) throw unreadable("extra");
  const left = new Set(Object.keys(extra));
  const record: Record<string, unknown> = {};
  for (const [name, { column, unset, schema }] of RECORD_FIELDS) {
    const value = column === undefined ? null : row[name as Column];
    if (value !== null || unset !== undefined) {
      record[name] = column === "json" ? parse(String(value)) : value;
      if (column === "json" && !IS_VALUE[name as Json](record[name])) throw unreadable(name);
    } else if (left.delete(name)) {
      // A build without this column, or without this field, has written the record.
      record[name] = extra[name];
      if (!isOfType(record[name], schema.type)) throw unreadable("extra");
    }
  }
  if (left.size === 0) return record as unknown as ActivityRecord;
  if ([...left].some((name) => IN_COLUMNS.has(name))) throw unreadable("extra");
  // Fields of a newer release are kept, because the hash covers them.
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
