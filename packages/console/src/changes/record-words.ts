import type { ActivityRecord } from "@touchstone/gateway/api";

/**
 * Returns the record with the most information about a change: the record by `pin` of the whole definition, or else
 * the newest one.
 */
export function shownRecord<R extends Pick<ActivityRecord, "mode">>(
  change: readonly R[],
): R | undefined {
  return change.find(({ mode }) => mode !== null) ?? change[0];
}

/** Returns the known MCP revisions in which a changed definition was listed. */
export function revisionsOf(
  change: readonly Pick<ActivityRecord, "revision">[],
): readonly string[] {
  return [...new Set(change.flatMap(({ revision = [] }) => revision))].sort();
}

/** Returns what has changed, in one word. */
export function changeKind({
  direction,
  mode,
  schema_hash,
  previous_schema_hash,
  both_schemas,
}: ActivityRecord): string {
  if (both_schemas === true && mode === null) return "both schemas";
  if (schema_hash === null) return "gone";
  if (previous_schema_hash === undefined && direction === null) return "new";
  if (mode !== null) return "definition";
  return direction === null ? "changed" : `${direction} schema`;
}
