import { canonicalText } from "@touchstone/core/advanced";
import { type Change, compareTools } from "@touchstone/protocol/lock";
import type { DeclaredText } from "./contracts/store.ts";
import type { ActivityRecord } from "./record.ts";
import type { MeantChange } from "./response-schemas.ts";

/** Two definitions to compare. */
export interface DefinitionPair {
  readonly tool: string | null;
  /** The direction of the schemas, if the two definitions are schemas. */
  readonly direction: ActivityRecord["direction"];
  readonly kind: DeclaredText["kind"];
  /** Absent if the definition is new. */
  readonly before?: string | undefined;
  /** Absent if the definition was removed. */
  readonly after?: string | undefined;
}

/** How many values to try, and for how long: the result is only shown to people, and a check in CI tries more. */
const SAMPLES = 300;
const STEPS = 5_000_000;
const PATIENCE_MS = 3_000;
/** Longer definitions are compared as text only. */
const MAX_COMPARED = 65_536;
/** How many differences to return. */
const MAX_CHANGES = 50;
const MAX_COUNTEREXAMPLE = 2_000;

/** Returns whether two definitions are of a kind and a size to compare. */
export function isComparable({ kind, before = "", after = "" }: DefinitionPair): boolean {
  const isSchema = kind === "tool" || kind === "schema";
  return isSchema && Math.max(before.length, after.length) <= MAX_COMPARED;
}

/**
 * Returns what the differences between two comparable definitions mean, the heaviest first. Takes seconds if the
 * definitions are hostile.
 * @returns null if there was not enough time
 */
export function changeMeaning(pair: DefinitionPair): readonly MeantChange[] | null {
  const { tool, direction, kind } = pair;
  const member = direction === "output" ? "outputSchema" : "inputSchema";
  const [old, now] = [pair.before, pair.after].map((text) => {
    // If there is no direction, the whole tool is new or was removed.
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
  const changes = compareTools(tool ?? "", old, now, { samples: SAMPLES, steps: STEPS, isOver });
  // If time ran out before a counterexample was found, the change must not count as compatible.
  if (isCut && changes.every((one) => one.counterexample === undefined)) return null;
  return changes.slice(0, MAX_CHANGES).map(shown);
}

function shown({ class: meant, rule, path, message, counterexample }: Change): MeantChange {
  const text = counterexample?.text;
  return {
    ...{ class: meant, rule, path, message },
    counterexample: text === undefined || text.length > MAX_COUNTEREXAMPLE ? null : text,
  };
}
