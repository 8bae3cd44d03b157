import { memberHashes } from "@touchstone/protocol/lock";
import {
  MAX_PINNED_TEXT,
  type PinKind,
  type PinnedText,
  type UnapprovedText,
} from "@touchstone/records/plain";
import type { PinChange } from "../../contracts/approvals.ts";

/** Declarations that no gateway has seen before. */
export interface NewDeclarations {
  readonly fresh: readonly UnapprovedText[];
  /** For each, the hash of the approved declaration of its name. */
  readonly previous: readonly (string | undefined)[];
  /** Texts of those, by hash. */
  readonly texts: ReadonlyMap<string, string>;
}

/** Describes changes, one per step: a list may have thousands. */
export function* pinChangeSteps(
  kind: PinKind,
  { fresh, previous, texts }: NewDeclarations,
): Generator<void, readonly PinChange[], void> {
  const found: PinChange[] = [];
  for (const [at, item] of fresh.entries()) {
    const before = previous[at];
    const text = before === undefined ? undefined : (texts.get(before) ?? item.locked?.text);
    const { name, hash } = item;
    found.push({ kind, name, hash, previous: before, ...difference(item, before, text) });
    yield;
  }
  return found;
}

/** How many differing members of a definition to name. */
const MAX_NAMED = 8;

function difference(
  { kind, name, text }: PinnedText,
  previous: string | undefined,
  before: string | undefined,
): Pick<PinChange, "what" | "schemas"> {
  const own = kind === "prompt" || kind === "resource_template" ? ` ${JSON.stringify(name)}` : "";
  const what = `${kind.replace("_", " ")}${own}`;
  if (previous === undefined) {
    return { what: `the ${what} ${kind === "instructions" ? "are" : "is"} new`, schemas: [] };
  }
  if (kind === "instructions") return { what: "the instructions have changed", schemas: [] };
  const isShort = before !== undefined && before.length <= MAX_PINNED_TEXT && text !== undefined;
  const changed = isShort ? changedMembers(before, text) : [];
  const named = changed.slice(0, MAX_NAMED).join(", ");
  const more = changed.length > MAX_NAMED ? ` and ${changed.length - MAX_NAMED} more` : "";
  const both = kind === "tool" ? (["input", "output"] as const) : [];
  return {
    what: `the ${what} has changed${named === "" ? "" : `: ${named}${more}`}`,
    schemas: isShort ? both.filter((schema) => changed.includes(`${schema}Schema`)) : both,
  };
}

/** Returns the names of the members in which two definitions differ. */
function changedMembers(before: string, after: string): readonly string[] {
  const [old, now] = [memberHashes(before), memberHashes(after)];
  const names = new Set([...Object.keys(old), ...Object.keys(now)]);
  return [...names].filter((name) => old[name] !== now[name]).sort();
}
