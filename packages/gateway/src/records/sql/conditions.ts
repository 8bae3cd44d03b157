import { sql } from "kysely";
import type { ActivityScope } from "../filter.ts";
import { firstIdAt } from "../ids.ts";
import type { ActivitySelect } from "./builder.ts";

/** A column of records that the tally has as well. */
export type TalliedColumn = "type" | "direction" | "decision" | "status" | "server" | "tool";

/** What a filter asks of those columns: each has to have one of its values. */
export function* talliedConditions(
  scope: ActivityScope,
): Generator<readonly [TalliedColumn, readonly string[]], void, undefined> {
  const { types, directions, decisions, statuses, server, tool } = scope;
  if (types !== undefined) yield ["type", types];
  if (directions !== undefined) yield ["direction", directions];
  if (decisions !== undefined) yield ["decision", decisions];
  if (statuses !== undefined) yield ["status", statuses];
  if (server !== undefined) yield ["server", [server]];
  if (tool !== undefined) yield ["tool", [tool]];
}

/** Adds everything that a filter asks of a record. */
export function matching<Output>(
  all: ActivitySelect<Output>,
  scope: ActivityScope,
): ActivitySelect<Output> {
  let query = all;
  for (const [column, values] of talliedConditions(scope)) {
    query = query.where(sql.ref<string>(column), "in", values);
  }
  if (scope.outcomes !== undefined) query = query.where("outcome", "in", scope.outcomes);
  if (scope.session !== undefined) query = query.where("session", "=", scope.session);
  if (scope.request !== undefined) query = query.where("request_id", "=", scope.request);
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
