import { definitionDiffSteps } from "@touchstone/protocol/lock";
import { threadSlice } from "@touchstone/util";
import { isComparable } from "./change-meaning.ts";
import { changeMeaningThread } from "./change-meaning-thread.ts";
import type { DeclaredText } from "./contracts/store.ts";
import type { ActivityRecord } from "./record.ts";
import type { DefinitionChange } from "./response-schemas.ts";
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
  const { output_schema_hash: nowOut = null, previous_output_schema_hash: beforeOut = null } =
    record;
  const hashes = [now, before, nowOut, beforeOut].filter((hash) => hash !== null);
  const isChange = type === "schema_change" || type === "config_change";
  if (!isChange || server === null || hashes.length === 0) return undefined;
  const texts = await reader.declaredTexts(server, hashes);
  const declaredText = (hash: string | null) => (hash === null ? null : texts.get(hash));
  const isBoth = nowOut !== null || beforeOut !== null;
  const [old, current] = isBoth
    ? [
        bothOf(declaredText(before), declaredText(beforeOut)),
        bothOf(declaredText(now), declaredText(nowOut)),
      ]
    : [declaredText(before), declaredText(now)];
  const kind = (current ?? old)?.kind ?? null;
  const about = { id, server, tool, kind };
  if (old === undefined || current === undefined) return { ...about, diff: null, changes: null };
  const diff = await threadSlice.take(definitionDiffSteps(old?.text, current?.text));
  if (kind === null) return { ...about, diff, changes: null };
  const pair = { tool, direction, kind, before: old?.text, after: current?.text };
  const changes = isComparable(pair) ? await changeMeaningThread.meaningOf(pair) : null;
  return { ...about, diff, changes };
}

/** Returns both schemas of a tool as one definition; undefined if a text is not kept. */
function bothOf(
  input: DeclaredText | null | undefined,
  output: DeclaredText | null | undefined,
): DeclaredText | undefined {
  if (input === undefined || output === undefined) return undefined;
  const members = [
    ...(input === null ? [] : [`"inputSchema":${input.text}`]),
    ...(output === null ? [] : [`"outputSchema":${output.text}`]),
  ];
  return { kind: "tool", text: `{${members.join(",")}}` };
}
