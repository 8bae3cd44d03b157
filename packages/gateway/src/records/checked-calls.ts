import { EXTERNAL } from "../features/invalid-schemas/decide.ts";
import { type LookedFor, type LooksFor, lookedForIn, showsFor } from "../policy/looked-for.ts";
import { modesOf, type PlacedModes, type RolloutSettings } from "../policy/rollout-settings.ts";
import type { Direction, Mode } from "../policy/settings.ts";
import { DIRECTIONS } from "./filter.ts";

/** Calls of one tool whose records say the same of their checks. */
export interface CheckedCalls {
  readonly server: string | null;
  readonly tool: string | null;
  /** Field `checks`; `null` in records of earlier builds. */
  readonly checks: string | null;
  /** 1 if a check found something, and the decision about it is gone or lies outside of the stretch of time. */
  readonly lost: number;
  /** 0 for calls from before the schema of the direction changed. */
  readonly input_now: number;
  readonly output_now: number;
  readonly calls: number;
  /** Id of the last one. */
  readonly last: string;
}

/** Outcomes that are evidence: the payload was compared. */
export const COMPARED: ReadonlySet<string> = new Set([
  "pass",
  "violation",
  "guard",
  "budget",
  "missing",
]);

export const keyOf = ({ server, tool }: { server: string | null; tool: string | null }): string =>
  JSON.stringify([server, tool]);

export function byTool<T extends { readonly server: string | null; readonly tool: string | null }>(
  all: readonly T[],
): ReadonlyMap<string, readonly T[]> {
  const found = new Map<string, T[]>();
  for (const one of all) {
    const key = keyOf(one);
    const known = found.get(key);
    if (known === undefined) found.set(key, [one]);
    else known.push(one);
  }
  return found;
}

export interface Check {
  readonly mode: Mode;
  readonly outcome: string;
  /** Whether the schema refers to another document. */
  readonly isExternal: boolean;
  readonly lookedFor: LookedFor;
}

/** Returns the checks that a record's field `checks` names, by direction. */
export function checksIn(text: string): ReadonlyMap<Direction, Check> {
  const found = new Map<Direction, Check>();
  for (const part of text.split(", ")) {
    const [name, mode, outcome = "", ...more] = part.split(" ");
    const direction = DIRECTIONS.find((one) => one === name);
    if (direction === undefined || (mode !== "warn" && mode !== "strict")) continue;
    const [isExternal, lookedFor] = [more[0] === EXTERNAL, lookedForIn(more)];
    found.set(direction, { mode, outcome, isExternal, lookedFor });
  }
  return found;
}

/** Calls with what their records say of their checks; undefined if they say nothing. */
export interface ReadCalls extends CheckedCalls {
  readonly found: ReadonlyMap<Direction, Check> | undefined;
}

export const readCalls = (group: CheckedCalls): ReadCalls => ({
  ...group,
  found: group.checks === null || group.lost !== 0 ? undefined : checksIn(group.checks),
});

/** Returns whether calls were checked by the schema of now. */
export function isNow(group: CheckedCalls, direction: Direction): boolean {
  if (direction === "protocol") return true;
  return (direction === "input" ? group.input_now : group.output_now) !== 0;
}

/** Returns whether a direction was compared with the schema of now. */
export function isCompared(group: ReadCalls, direction: Direction): boolean {
  const check = isNow(group, direction) ? group.found?.get(direction) : undefined;
  return check !== undefined && COMPARED.has(check.outcome);
}

/** Returns whether a check looked for all that settings look for. */
export function looked(group: ReadCalls, direction: Direction, now: LooksFor): boolean {
  const check = direction === "protocol" ? undefined : group.found?.get(direction);
  return (
    check === undefined || direction === "protocol" || showsFor(check.lookedFor, now, direction)
  );
}

/** Returns what the settings of a tool look for: those that are known, or those of its newest call. */
export function nowOf(groups: readonly ReadCalls[], placed: PlacedModes | undefined): LooksFor {
  const newest = (direction: "input" | "output"): string | undefined =>
    groups
      .filter(({ found }) => found?.has(direction) === true)
      .reduce<ReadCalls | undefined>(
        (a, b) => (a === undefined || b.last > a.last ? b : a),
        undefined,
      )
      ?.found?.get(direction)?.lookedFor.token;
  return placed?.looksFor ?? { input: newest("input"), output: newest("output") };
}

/** Groups of calls whose check in a direction did not look for all that the settings of now look for. */
export type OtherSettings = Readonly<Record<"input" | "output" | "any", readonly CheckedCalls[]>>;

/** Returns the calls that were checked with settings that show nothing about those of now. */
export function otherSettings(
  checked: readonly CheckedCalls[],
  settings: RolloutSettings,
): OtherSettings {
  const placed = modesOf(settings);
  const found = { input: [] as ReadCalls[], output: [] as ReadCalls[], any: [] as ReadCalls[] };
  for (const groups of byTool(checked.map(readCalls)).values()) {
    const [first] = groups;
    if (first === undefined) continue;
    const now = nowOf(groups, placed(first.server, first.tool));
    for (const group of groups) {
      const others = (["input", "output"] as const).filter((one) => !looked(group, one, now));
      for (const direction of others) found[direction].push(group);
      const seen = DIRECTIONS.some(
        (one) => COMPARED.has(group.found?.get(one)?.outcome ?? "") && looked(group, one, now),
      );
      if (others.length > 0 && !seen) found.any.push(group);
    }
  }
  return found;
}
