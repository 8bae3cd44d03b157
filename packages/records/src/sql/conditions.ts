import { type RawBuilder, type SqlBool, sql } from "kysely";
import type { ActivityScope } from "../filter.ts";
import { firstIdAt } from "../ids.ts";
import type { TextCondition } from "../query-scope.ts";
import { FIELD_FILTERS, type FieldFilter } from "../record.ts";
import type { ActivitySelect } from "./builder.ts";
import { hasIssue } from "./problems/filter.ts";
import { tableOf } from "./table-of.ts";
import type { Dialect } from "./tables.ts";
import { byRequest, evaluatedPerRow } from "./way.ts";

export type Sql = RawBuilder<unknown>;

/** The columns that both records and the tally have. */
const TALLIED = ["type", "direction", "decision", "status", "server", "tool"] as const;
export type TalliedColumn = (typeof TALLIED)[number];

/** The condition that a column has one of these values or, if excluded, none of them. */
export interface ColumnCondition<Column extends string = string> {
  readonly column: Column;
  readonly values: readonly string[];
  readonly isExcluded: boolean;
}

/** A filter's conditions on columns. */
export function* fieldConditions(
  scope: ActivityScope,
): Generator<ColumnCondition<FieldFilter["field"]>, void, undefined> {
  for (const { field, scope: member } of FIELD_FILTERS) {
    const wanted: string | readonly string[] | undefined = scope[member];
    if (wanted === undefined) continue;
    const values = typeof wanted === "string" ? [wanted] : wanted;
    yield { column: field, values, isExcluded: false };
  }
  for (const { field, ...condition } of scope.where ?? []) yield { column: field, ...condition };
}

/** Returns a filter's conditions on the tally's columns. */
export function* talliedConditions(
  scope: ActivityScope,
): Generator<ColumnCondition<TalliedColumn>, void, undefined> {
  for (const condition of fieldConditions(scope)) {
    const column = TALLIED.find((name) => name === condition.column);
    if (column !== undefined) yield { ...condition, column };
  }
}

/** Returns whether the tally has all columns of a filter. */
export function hasTalliedColumns(scope: ActivityScope): boolean {
  if (searchConditions("sqlite", scope).length > 0) return false;
  return [...fieldConditions(scope)].length === [...talliedConditions(scope)].length;
}

/** Returns a filter's conditions on columns, without the given ones. */
export function inColumns(wanted: Iterable<ColumnCondition>, given: readonly string[] = []): Sql[] {
  return [...wanted]
    .filter(({ column }) => !given.some((name) => name === column))
    .map(({ column, values, isExcluded }) => {
      const kept = values.filter(isStorable);
      if (kept.length === 0) return isExcluded ? sql`1 = 1` : NEVER;
      return isExcluded
        ? sql`coalesce(${sql.ref(column)}, '') NOT IN (${sql.join(kept)})`
        : sql`${sql.ref(column)} IN (${sql.join(kept)})`;
    });
}

const NEVER = sql`1 = 0`;

/** PostgreSQL cannot store U+0000 in text and refuses it in queries, and SQLite would cut a pattern there. */
function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes("\0");
}

/** The columns that text search covers besides bodies; a call's reason names its issues. */
const SEARCHED = ["server", "tool", "client", "caller", "reason", "request_id", "id"] as const;

/** Returns a filter's conditions on calls, besides their columns. */
export function searchConditions(dialect: Dialect, scope: ActivityScope): readonly Sql[] {
  const { rules = [], texts = [], process, problem, issue, without } = scope;
  const absent = without === "both" ? ["caller", "client"] : [without ?? []].flat();
  const all: Sql[] = absent.map((column) => sql`${sql.ref(`activity.${column}`)} IS NULL`);
  if (process !== undefined) {
    const isKnown = isStorable(process);
    all.push(isKnown ? sql`activity.session IS NULL AND activity.chain = ${process}` : NEVER);
  }
  if (problem !== undefined) {
    all.push(issue === undefined || issue === null ? NEVER : hasIssue(dialect, issue));
  }
  for (const text of texts) all.push(unless(text.isExcluded, hasText(dialect, text)));
  for (const { values, isExcluded } of rules)
    all.push(unless(isExcluded, hasRule(dialect, values)));
  return all;
}

/** Returns a condition or its negation, which also applies if the condition is NULL. */
function unless(isExcluded: boolean, condition: Sql): Sql {
  return isExcluded ? sql`CASE WHEN ${condition} THEN 0 ELSE 1 END = 1` : condition;
}

function hasText(dialect: Dialect, { text, found }: TextCondition): Sql {
  if (!isStorable(text)) return NEVER;
  const like = (column: string): Sql =>
    sql`${sql.ref(`activity.${column}`)} ${sql.raw(dialect === "sqlite" ? "LIKE" : "ILIKE")} ${likePattern(text)} ESCAPE '\\'`;
  const inBodies = sql`${like("arguments")} OR ${like("result")}`;
  const arms = [inFields(dialect, SEARCHED.map(like), text)];
  if (found === undefined) return either([...arms, inBodies]);
  const { ids, waiting } = found;
  if (ids.length > 0) {
    const listed = tableOf(
      dialect,
      ids.map((id) => [id]),
    );
    arms.push(sql`activity.id IN ${listed}`);
  }
  if (waiting.length > 0) {
    const after = waiting.map(
      ({ chain, from }) => sql`activity.chain = ${chain} AND activity.seq >= ${from}`,
    );
    arms.push(sql`(${either(after)} AND (${inBodies}))`);
  }
  return either(arms);
}

/**
 * Returns a condition that one of the fields contains a text. PostgreSQL takes three times as long to compare each
 * field as to compare the concatenation of all fields, which few calls match.
 */
function inFields(dialect: Dialect, each: readonly Sql[], text: string): Sql {
  if (dialect === "sqlite") return either(each);
  const fields = SEARCHED.map((column) => sql.ref(`activity.${column}`));
  return sql`(concat_ws(' ', ${sql.join(fields)}) ILIKE ${likePattern(text)} ESCAPE '\\' AND ${either(each)})`;
}

function either(arms: readonly Sql[]): Sql {
  return sql`(${sql.join(arms, sql` OR `)})`;
}

/** Returns a LIKE pattern that matches texts which contain a text. */
export function likePattern(text: string): string {
  return `%${text.replace(/[\\%_]/g, "\\$&")}%`;
}

/**
 * Selects calls whose decision has the same status and names one of these rules: a call has the status of its
 * heaviest decision.
 */
function hasRule(dialect: Dialect, rules: readonly string[]): Sql {
  const arms = rules.map((rule) => sql`',' || decided.rules || ',' LIKE ${`%,${rule},%`}`);
  return sql`activity.decision <> 'allowed' AND EXISTS (SELECT 1 FROM activity decided ${byRequest(dialect)}
    WHERE decided.request_id = activity.request_id AND decided.type = 'policy_decision'
      AND (${sql.join(arms, sql` OR `)}) ${evaluatedPerRow(dialect)})`;
}

/** Returns a filter's conditions on a record's time. @param table the records, by their name in the query */
export function timeConditions({ since, until }: ActivityScope, table = "activity"): Sql[] {
  const time = sql.ref(`${table}.time`);
  const all: Sql[] = [];
  if (since !== undefined) all.push(sql`${time} >= ${since.toISOString()}`);
  if (until !== undefined) all.push(sql`${time} < ${until.toISOString()}`);
  return all;
}

/** Returns all conditions of a filter, without the given columns. */
export function recordConditions(
  dialect: Dialect,
  scope: ActivityScope,
  given: readonly string[] = [],
): readonly Sql[] {
  return [
    ...inColumns(fieldConditions(scope), given),
    ...timeConditions(scope),
    ...searchConditions(dialect, scope),
  ];
}

/**
 * Returns conditions on ids for a time range, for which the database can use an index. An id's time is never before
 * its record's time, and at most `skewMs` after it, because ids keep increasing when the clock is set back.
 */
export function idTimeConditions({ since, until }: ActivityScope, skewMs: number): readonly Sql[] {
  const all: Sql[] = [];
  if (since !== undefined) all.push(sql`activity.id >= ${firstIdAt(since.getTime())}`);
  if (until !== undefined) all.push(sql`activity.id < ${firstIdAt(until.getTime() + skewMs)}`);
  return all;
}

/** Adds all conditions of a filter. */
export function withScope<Output>(
  all: ActivitySelect<Output>,
  scope: ActivityScope,
  dialect: Dialect,
): ActivitySelect<Output> {
  return recordConditions(dialect, scope).reduce<ActivitySelect<Output>>(
    (query, condition) => query.where(condition as RawBuilder<SqlBool>),
    all,
  );
}

/** Adds conditions on ids for a time range. */
export function withTimeRange<Output>(
  all: ActivitySelect<Output>,
  time: ActivityScope,
  skewMs: number,
): ActivitySelect<Output> {
  return idTimeConditions(time, skewMs).reduce<ActivitySelect<Output>>(
    (query, condition) => query.where(condition as RawBuilder<SqlBool>),
    all,
  );
}
