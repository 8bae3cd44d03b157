import type { ActivityRecord } from "../activity/record.ts";

/** The server and the tool of a record, as one name. */
export function namesOf({ server, tool }: ActivityRecord): string {
  return [server, tool].filter((name) => name !== null).join(" / ");
}

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
