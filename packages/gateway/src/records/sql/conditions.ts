import { sql } from "kysely";
import type { ActivityScope } from "../filter.ts";
import { firstIdAt } from "../ids.ts";
import { FIELD_FILTERS, type FieldFilter } from "../record.ts";
import type { ActivitySelect } from "./builder.ts";

/** The columns of records that the tally has as well. */
const TALLIED = ["type", "direction", "decision", "status", "server", "tool"] as const;
export type TalliedColumn = (typeof TALLIED)[number];

/** What a filter asks of columns: each has to have one of its values. */
export function* fieldConditions(
  scope: ActivityScope,
): Generator<readonly [FieldFilter["field"], readonly string[]], void, undefined> {
  for (const { field, scope: member } of FIELD_FILTERS) {
    const wanted: string | readonly string[] | undefined = scope[member];
    if (wanted !== undefined) yield [field, typeof wanted === "string" ? [wanted] : wanted];
  }
}

/** What a filter asks of the columns that the tally has. */
export function* talliedConditions(
  scope: ActivityScope,
): Generator<readonly [TalliedColumn, readonly string[]], void, undefined> {
  for (const [column, values] of fieldConditions(scope)) {
    const tallied = TALLIED.find((name) => name === column);
    if (tallied !== undefined) yield [tallied, values];
  }
}

/** Whether the tally has all columns that a filter asks for. */
export function isTallied(scope: ActivityScope): boolean {
  return [...fieldConditions(scope)].length === [...talliedConditions(scope)].length;
}

/** Adds everything that a filter asks of a record. */
export function matching<Output>(
  all: ActivitySelect<Output>,
  scope: ActivityScope,
): ActivitySelect<Output> {
  let query = all;
  for (const [column, values] of fieldConditions(scope)) {
    query = query.where(sql.ref<string>(column), "in", values);
  }
  if (scope.since !== undefined) query = query.where("time", ">=", scope.since.toISOString());
  if (scope.until !== undefined) query = query.where("time", "<", scope.until.toISOString());
  return query;
}

/**
 * Adds what a stretch of time says about ids, which the database can seek by. An id's moment is
 * never before its record's time, and after it by at most `skewMs`: ids go on rising when the clock
 * is set back.
 */
export function inTime<Output>(
  all: ActivitySelect<Output>,
  time: { readonly since?: Date | undefined; readonly until?: Date | undefined },
  skewMs: number,
): ActivitySelect<Output> {
  let query = all;
  if (time.since !== undefined) query = query.where("id", ">=", firstIdAt(time.since.getTime()));
  if (time.until !== undefined) {
    query = query.where("id", "<", firstIdAt(time.until.getTime() + skewMs));
  }
  return query;
}
