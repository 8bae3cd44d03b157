import type { ActivityRecord } from "../activity/record.ts";

/** What has changed, in a word. */
export function kindOf({
  direction,
  mode,
  schema_hash,
  previous_schema_hash,
}: ActivityRecord): string {
  if (schema_hash === null) return "gone";
  if (previous_schema_hash === null && direction === null) return "new";
  if (mode !== null) return "definition";
  return direction === null ? "changed" : `${direction} schema`;
}
