import type { ActivityRecord } from "@touchstone/gateway/api";

/** What has changed, in a word. */
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
