import { DIRECTIONS } from "../filter.ts";
import type { Direction, Mode } from "../record.ts";
import {
  type CurrentCheckScope,
  coversCheckScope,
  type RecordedCheckScope,
  readCheckScope,
} from "./check-scope.ts";
import { modesOf, type PlacedModes, type RolloutSettings } from "./settings.ts";
import { BLOCKABLE_WORD, EXTERNAL_REFERENCE_WORD } from "./words.ts";

/** Calls of one tool whose records have the same facts about their checks. */
export interface CheckedCalls {
  readonly server: string | null;
  readonly tool: string | null;
  /** Field `checks`; `null` in records of earlier builds. */
  readonly checks: string | null;
  /** 1 if a check found something, but the decision about it is gone or outside of the time range. */
  readonly lost: number;
  /** 0 for calls from before the schema of this direction changed. */
  readonly input_now: number;
  readonly output_now: number;
  /** 0 for calls that were blocked. */
  readonly sent: number;
  readonly calls: number;
  /** Id of the last one. */
  readonly last: string;
}

/** Outcomes that are evidence: the payload was compared. */
export const COMPARED_OUTCOMES: ReadonlySet<string> = new Set([
  "pass",
  "violation",
  "guard",
  "budget",
  "missing",
]);

export const toolKey = ({ server, tool }: { server: string | null; tool: string | null }): string =>
  JSON.stringify([server, tool]);

export function groupByTool<
  T extends { readonly server: string | null; readonly tool: string | null },
>(all: readonly T[]): ReadonlyMap<string, readonly T[]> {
  const found = new Map<string, T[]>();
  for (const one of all) {
    const key = toolKey(one);
    const known = found.get(key);
    if (known === undefined) found.set(key, [one]);
    else known.push(one);
  }
  return found;
}

export interface RecordedCheck {
  readonly mode: Mode;
  readonly outcome: string;
  /** Whether the schema refers to another document. */
  readonly isExternal: boolean;
  /** For a missing result: whether the settings of the call let strict block it. */
  readonly isBlockable: boolean;
  readonly lookedFor: RecordedCheckScope;
}

/** Returns the checks that a record's field `checks` names, by direction. */
export function parseChecks(text: string): ReadonlyMap<Direction, RecordedCheck> {
  const found = new Map<Direction, RecordedCheck>();
  for (const part of text.split(", ")) {
    const [name, mode, outcome = "", ...more] = part.split(" ");
    const direction = DIRECTIONS.find((one) => one === name);
    if (direction === undefined || (mode !== "warn" && mode !== "strict")) continue;
    const [isExternal, isBlockable] = [
      more[0] === EXTERNAL_REFERENCE_WORD,
      more[0] === BLOCKABLE_WORD,
    ];
    found.set(direction, {
      mode,
      outcome,
      isExternal,
      isBlockable,
      lookedFor: readCheckScope(more),
    });
  }
  return found;
}

/** Calls with the parsed facts about their checks; undefined if their records have none. */
export interface ParsedCheckedCalls extends CheckedCalls {
  readonly found: ReadonlyMap<Direction, RecordedCheck> | undefined;
}

export const parseCheckedCalls = (group: CheckedCalls): ParsedCheckedCalls => ({
  ...group,
  found: group.checks === null || group.lost !== 0 ? undefined : parseChecks(group.checks),
});

/** Returns whether calls were checked by the current schema. */
export function isCurrentSchema(group: CheckedCalls, direction: Direction): boolean {
  if (direction === "protocol") return true;
  return (direction === "input" ? group.input_now : group.output_now) !== 0;
}

/** Returns whether a direction was compared with the current schema. */
export function isCompared(group: ParsedCheckedCalls, direction: Direction): boolean {
  const check = isCurrentSchema(group, direction) ? group.found?.get(direction) : undefined;
  return check !== undefined && COMPARED_OUTCOMES.has(check.outcome);
}

/** Returns whether a check looked for everything that the current settings look for. */
export function coveredCurrentScope(
  group: ParsedCheckedCalls,
  direction: Direction,
  now: CurrentCheckScope,
): boolean {
  if (direction === "protocol") return true;
  const check = group.found?.get(direction);
  return check === undefined || coversCheckScope(check.lookedFor, now, direction);
}

/** Returns the newest check of a direction that had a schema; undefined if none is recorded. */
export function newestCheck(
  groups: readonly ParsedCheckedCalls[],
  direction: Direction,
): RecordedCheck | undefined {
  let last = "";
  let found: RecordedCheck | undefined;
  for (const { found: checks, last: id } of groups) {
    const check = checks?.get(direction);
    // A skipped check shows nothing about the schema.
    if (check === undefined || check.outcome === "skipped" || id <= last) continue;
    last = id;
    found = check;
  }
  return found;
}

/**
 * Returns whether the newest call shows that a direction is no longer checked: the call was sent without that check.
 * A missing check of a result may have other causes, so it only counts if no part of the call was checked.
 */
export function isCheckOff(groups: readonly ParsedCheckedCalls[], direction: Direction): boolean {
  const newest = groups
    .filter(({ sent, found }) => sent !== 0 && found !== undefined)
    .reduce<ParsedCheckedCalls | undefined>(
      (a, b) => (a === undefined || b.last > a.last ? b : a),
      undefined,
    );
  if (newest?.found === undefined) return false;
  const isMissing = direction === "output" ? newest.found.size === 0 : !newest.found.has(direction);
  const last = groups.filter(({ found }) => found?.has(direction)).map((each) => each.last);
  return isMissing && last.every((id) => id < newest.last);
}

/**
 * Returns whether the newest check of a direction looked for other issues than the assumed settings would:
 * command-line options, or another file, must have set them.
 */
export function hasOtherCheckScope(
  groups: readonly ParsedCheckedCalls[],
  direction: "input" | "output",
  placed: PlacedModes | undefined,
): boolean {
  if (placed?.basis !== "assumed" || placed.looksFor === undefined) return false;
  const newest = newestCheck(groups, direction);
  return newest !== undefined && newest.lookedFor.token !== placed.looksFor[direction];
}

/** Returns whether the settings of a tool are unknown, or differ from the known ones. */
export function hasUnknownSettings(
  groups: readonly ParsedCheckedCalls[],
  placed: PlacedModes | undefined,
): boolean {
  if (placed === undefined || placed.looksFor === undefined) return placed?.basis === "assumed";
  return (["input", "output"] as const).some((one) => hasOtherCheckScope(groups, one, placed));
}

/** Returns what the settings of a tool look for: the known settings, or those of its newest call. */
export function currentCheckScope(
  groups: readonly ParsedCheckedCalls[],
  placed: PlacedModes | undefined,
): CurrentCheckScope {
  if (placed?.looksFor !== undefined && !hasUnknownSettings(groups, placed)) return placed.looksFor;
  const newest = (direction: "input" | "output"): string | undefined =>
    newestCheck(groups, direction)?.lookedFor.token;
  return { input: newest("input"), output: newest("output") };
}

/** Groups of calls whose check in a direction did not look for everything that the current settings look for. */
export type OtherSettingsCalls = Readonly<
  Record<"input" | "output" | "any", readonly CheckedCalls[]>
>;

/** Returns the calls that were checked with settings that prove nothing about the current ones. */
export function callsWithOtherSettings(
  checked: readonly ParsedCheckedCalls[],
  settings: RolloutSettings,
): OtherSettingsCalls {
  const placed = modesOf(settings);
  const found = {
    input: [] as ParsedCheckedCalls[],
    output: [] as ParsedCheckedCalls[],
    any: [] as ParsedCheckedCalls[],
  };
  for (const groups of groupByTool(checked).values()) {
    const [first] = groups;
    if (first === undefined) continue;
    const now = currentCheckScope(groups, placed(first.server, first.tool));
    for (const group of groups) {
      const others = (["input", "output"] as const).filter(
        (one) => !coveredCurrentScope(group, one, now),
      );
      for (const direction of others) found[direction].push(group);
      const seen = DIRECTIONS.some(
        (one) =>
          COMPARED_OUTCOMES.has(group.found?.get(one)?.outcome ?? "") &&
          coveredCurrentScope(group, one, now),
      );
      if (others.length > 0 && !seen) found.any.push(group);
    }
  }
  return found;
}
