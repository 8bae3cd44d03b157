import type { ActivityScope } from "./filter.ts";
import type { ActivityRecord } from "./record.ts";

/** Whether a record meets a scope, as the stores decide it. Pure. */
export function meetsScope(record: ActivityRecord, scope: ActivityScope): boolean {
  const oneOf = <T>(values: readonly T[] | undefined, value: T | null): boolean =>
    values === undefined || (value !== null && values.includes(value));
  const is = (wanted: string | undefined, value: string | null): boolean =>
    wanted === undefined || wanted === value;
  const moment = Date.parse(record.time);
  return (
    oneOf(scope.types, record.type) &&
    is(scope.server, record.server) &&
    is(scope.tool, record.tool) &&
    oneOf(scope.directions, record.direction) &&
    oneOf(scope.decisions, record.decision) &&
    oneOf(scope.statuses, record.status) &&
    oneOf(scope.outcomes, record.outcome) &&
    is(scope.session, record.session) &&
    is(scope.request, record.request_id) &&
    (scope.since === undefined || moment >= scope.since.getTime()) &&
    (scope.until === undefined || moment < scope.until.getTime())
  );
}
