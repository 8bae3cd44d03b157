import { definitionDiffSteps } from "@touchstone/protocol/lock";
import type { Declared } from "../contracts/store.ts";
import { threadSlice } from "../util/time-slice.ts";
import { isComparable, type MeantChange } from "./change-meaning.ts";
import { changeMeaningThread } from "./change-meaning-thread.ts";
import type { ActivityRecord } from "./record.ts";
import type { ActivityReader } from "./store.ts";

/** The change of a definition, and what it means for callers. */
export interface DefinitionChange {
  readonly id: string;
  readonly server: string;
  readonly tool: string | null;
  /** What the two hashes stand for: one schema, or the whole declaration; null if neither text is kept. */
  readonly kind: Declared["kind"] | null;
  /** Lines as in `diff -u`; null if a text is not kept. Empty if only white space or the order of keys differs. */
  readonly diff: string | null;
  /** The heaviest first; null if unknown. */
  readonly changes: readonly MeantChange[] | null;
}

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
