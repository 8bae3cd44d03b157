import type { ActivityScope } from "../filter.ts";
import { firstIdAt } from "../ids.ts";
import type { ActivitySelect } from "./builder.ts";

/** Adds everything that a filter asks of a record. */
export function matching<Output>(
  all: ActivitySelect<Output>,
  scope: ActivityScope,
): ActivitySelect<Output> {
  let query = all;
  if (scope.types !== undefined) query = query.where("type", "in", scope.types);
  if (scope.server !== undefined) query = query.where("server", "=", scope.server);
  if (scope.tool !== undefined) query = query.where("tool", "=", scope.tool);
  if (scope.directions !== undefined) query = query.where("direction", "in", scope.directions);
  if (scope.decisions !== undefined) query = query.where("decision", "in", scope.decisions);
  if (scope.statuses !== undefined) query = query.where("status", "in", scope.statuses);
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
