import { canonicalText } from "@touchstone/core";
import { type Change, compareTools, definitionDiffSteps } from "@touchstone/protocol/lock";
import type { Declared } from "../contracts/store.ts";
import { threadSlice } from "../util/time-slice.ts";
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

/** One difference, and what it means. */
export interface MeantChange extends Pick<Change, "class" | "rule" | "path" | "message"> {
  /** JSON of arguments that are no longer accepted, or of a result that was not promised before. */
  readonly counterexample: string | null;
}

/** How many values to try, and for how long: this is for viewing, and a check in CI tries more. */
const SAMPLES = 300;
const PATIENCE_MS = 3_000;
/** Longer definitions are compared as text only. */
const MAX_COMPARED = 65_536;
/** How many differences to return. */
const MAX_CHANGES = 50;
const MAX_COUNTEREXAMPLE = 2_000;

/**
 * Returns the change of a definition that a record is about: a `schema_change`, or an approval.
 * @returns undefined if the record is about none
 */
export async function definitionChange(
  reader: Pick<ActivityReader, "declaredTexts">,
  record: ActivityRecord,
): Promise<DefinitionChange | undefined> {
  const { id, type, server, tool, schema_hash: now = null } = record;
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
  const changes = meaning(record, kind, old?.text, current?.text);
  return { ...about, diff, changes: changes?.slice(0, MAX_CHANGES).map(shown) ?? null };
}

function shown({ class: meant, rule, path, message, counterexample }: Change): MeantChange {
  const text = counterexample?.text;
  return {
    ...{ class: meant, rule, path, message },
    counterexample: text === undefined || text.length > MAX_COUNTEREXAMPLE ? null : text,
  };
}

function meaning(
  { tool, direction }: ActivityRecord,
  kind: DefinitionChange["kind"],
  before: string | undefined,
  after: string | undefined,
): readonly Change[] | undefined {
  if (kind !== "tool" && kind !== "schema") return undefined;
  if ([before, after].some((text = "") => text.length > MAX_COMPARED)) return undefined;
  const member = direction === "output" ? "outputSchema" : "inputSchema";
  const [old, now] = [before, after].map((text) => {
    // Without a direction, the whole tool is new or gone.
    if (text === undefined) return kind === "schema" && direction !== null ? "{}" : undefined;
    const canonical = canonicalText(text) ?? "null";
    return kind === "schema" ? `{"${member}":${canonical}}` : canonical;
  });
  const until = performance.now() + PATIENCE_MS;
  let isCut = false;
  const isOver = (): boolean => {
    isCut ||= performance.now() > until;
    return isCut;
  };
  const changes = compareTools(tool ?? "", old, now, { samples: SAMPLES, isOver });
  // Nothing is compatible because there was no time to find what breaks.
  return isCut && changes.every((one) => one.counterexample === undefined) ? undefined : changes;
}
