import type { ActivityScope } from "./filter.ts";
import { type ActivityRecord, FIELD_FILTERS } from "./record.ts";

/** Returns whether a record is in a scope, by the same rules as the stores. Pure. */
export function isInScope(record: ActivityRecord, scope: ActivityScope): boolean {
  const moment = Date.parse(record.time);
  return (
    FIELD_FILTERS.every(({ field, scope: member }) =>
      isWanted(scope[member], record[field] ?? null),
    ) &&
    (scope.where ?? []).every(
      ({ field, values, isExcluded }) => values.includes(record[field] ?? "") !== isExcluded,
    ) &&
    (scope.since === undefined || moment >= scope.since.getTime()) &&
    (scope.until === undefined || moment < scope.until.getTime())
  );
}

function isWanted(wanted: string | readonly string[] | undefined, value: string | null): boolean {
  if (wanted === undefined || typeof wanted === "string")
    return wanted === undefined || wanted === value;
  return value !== null && wanted.includes(value);
}
