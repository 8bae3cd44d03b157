import { definitionDiffSteps } from "@touchstone/protocol/lock";
import { threadSlice } from "../util/time-slice.ts";
import type { DefinitionChange } from "./api/schemas.ts";
import { isComparable } from "./change-meaning.ts";
import { changeMeaningThread } from "./change-meaning-thread.ts";
import type { ActivityRecord } from "./record.ts";
import type { ActivityReader } from "./store.ts";

/**
 * Returns the change of a definition that a record is about: a `schema_change`, or an approval.
 * @returns undefined if the record is about none
 */
export async function definitionChange(
  reader: Pick<ActivityReader, "declaredTexts">,
  record: ActivityRecord,
): Promise<DefinitionChange | undefined> {
  const { id, type, server, tool, direction, schema_hash: now = null } = record;
  const before = record.previous_schema_hash ?? null;
  const hashes = [now, before].filter((hash) => hash !== null);
  const isChange = type === "schema_change" || type === "config_change";
  if (!isChange || server === null || hashes.length === 0) return undefined;
  const texts = await reader.declaredTexts(server, hashes);
  const [old, current] = [before, now].map((hash) => (hash === null ? null : texts.get(hash)));
  const kind = (current ?? old)?.kind ?? null;
  const about = { id, server, tool, kind };
  if (old === undefined || current === undefined) return { ...about, diff: null, changes: null };
  const diff = await threadSlice.take(definitionDiffSteps(old?.text, current?.text));
  if (kind === null) return { ...about, diff, changes: null };
  const pair = { tool, direction, kind, before: old?.text, after: current?.text };
  const changes = isComparable(pair) ? await changeMeaningThread.meaningOf(pair) : null;
  return { ...about, diff, changes };
}
