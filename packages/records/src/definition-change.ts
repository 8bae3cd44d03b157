import { definitionDiffSteps, membersOf } from "@touchstone/protocol/lock";
import { threadSlice } from "@touchstone/util";
import { isComparable } from "./change-meaning.ts";
import { changeMeaningThread } from "./change-meaning-thread.ts";
import type { DeclaredText } from "./contracts/store.ts";
import { type DefinitionVersion, hashesOf, type Side, versionAt } from "./definition-version.ts";
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
  return { ...about, ...(await compared({ tool, direction, kind }, old?.text, current?.text)) };
}

/** Returns how two texts differ, and what that means. */
async function compared(
  {
    tool,
    direction,
    kind,
  }: Pick<ActivityRecord, "tool" | "direction"> & Pick<DefinitionChange, "kind">,
  before: string | undefined,
  after: string | undefined,
): Promise<Pick<DefinitionChange, "diff" | "changes">> {
  const diff = await threadSlice.take(definitionDiffSteps(before, after));
  if (kind === null) return { diff, changes: null };
  const pair = { tool, direction, kind, before, after };
  const changes = isComparable(pair) ? await changeMeaningThread.meaningOf(pair) : null;
  return { diff, changes };
}

/** How many changes of a tool are read to find an earlier one. */
const MOST_CHANGES = 500;

/**
 * Returns the difference between two versions of a tool: the one before or after an earlier change, and the one after
 * this change. If both changes are about the whole definition, so is the difference; otherwise it is between the two
 * pairs of schemas.
 * @param record a `schema_change` of a tool
 * @param earlier the id of another one
 * @returns undefined if the latest 500 changes of the tool before this one have no such record
 */
export async function changeSince(
  reader: Pick<ActivityReader, "declaredTexts" | "list">,
  record: ActivityRecord,
  earlier: string,
  side: Side,
): Promise<DefinitionChange | undefined> {
  const { id, type, server, tool } = record;
  if (type !== "schema_change" || server === null || tool === null) return undefined;
  const types = ["schema_change"] as const;
  const limits = { limit: MOST_CHANGES, offset: 0, after: id };
  const { activities } = await reader.list({ types, server, tool, ...limits });
  const records = [record, ...activities];
  if (records.every((each) => each.id !== earlier)) return undefined;
  const versions = [versionAt(records, earlier, side), versionAt(records, id, "after")] as const;
  const texts = await reader.declaredTexts(server, hashesOf(versions));
  const isWhole = versions.every(({ whole }) => whole !== undefined);
  const [old, current] = versions.map((version) =>
    isWhole ? wholeText(version, texts) : schemasText(version, versions, texts),
  );
  const about = { id, server, tool, kind: "tool" } as const;
  if (old === undefined || current === undefined) return { ...about, diff: null, changes: null };
  const subject = { tool, direction: null, kind: "tool" } as const;
  return { ...about, ...(await compared(subject, old ?? undefined, current ?? undefined)) };
}

type Texts = ReadonlyMap<string, DeclaredText>;

/** Returns a whole definition; null if there was none, undefined if its text is not kept. */
function wholeText({ whole }: DefinitionVersion, texts: Texts): string | null | undefined {
  return whole === null ? null : texts.get(whole ?? "")?.text;
}

/** Returns the schemas that are known in all versions; null if there was no tool, undefined if a text is not kept. */
function schemasText(
  version: DefinitionVersion,
  versions: readonly DefinitionVersion[],
  texts: Texts,
): string | null | undefined {
  if (version.whole === null) return null;
  const members: string[] = [];
  for (const part of ["input", "output"] as const) {
    const source = version[part];
    if (!source || versions.some((each) => each[part] === undefined)) continue;
    const text = texts.get(source.hash)?.text;
    if (text === undefined) return undefined;
    const name = `${part}Schema`;
    const schema = source.isWhole ? membersOf(text).get(name) : text;
    if (schema !== undefined) members.push(`"${name}":${schema}`);
  }
  return `{${members.join(",")}}`;
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
