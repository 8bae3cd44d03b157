import { DIRECTIONS } from "../filter.ts";
import type { Direction, Mode } from "../record.ts";
import type { DirectionRollout, Rollout, ToolRollout } from "../response-schemas.ts";
import type { CurrentCheckScope } from "./check-scope.ts";
import {
  coveredCurrentScope,
  currentCheckScope,
  groupByTool,
  hasOtherCheckScope,
  isCheckOff,
  isCompared,
  isCurrentSchema,
  newestCheck,
  type ParsedCheckedCalls,
  type RecordedCheck,
  toolKey,
} from "./checked-calls.ts";
import { modesOf, type PlacedModes, type RolloutSettings } from "./settings.ts";

type RolloutState = DirectionRollout["state"];
type UncomparedOutcome = NonNullable<DirectionRollout["reason"]>;

/** Calls of one tool that strict would block, or has blocked. */
export interface BlockedCalls {
  readonly server: string | null;
  readonly tool: string | null;
  /** `null`: in either direction. */
  readonly direction: Direction | null;
  readonly calls: number;
  /** How many of these are not counted as checked among {@link ParsedCheckedCalls}. */
  readonly more: number;
  /**
   * How many of these the current settings still block, as far as records show. The remaining ones were blocked by
   * strict at the time.
   */
  readonly still: number;
}

/** Calls of one tool that a policy or pin forwarded with a warning. */
export interface PolicyCalls {
  readonly server: string | null;
  readonly tool: string | null;
  readonly calls: number;
}

/** The evidence about checks in the records of a time range. */
export interface RolloutEvidence {
  readonly checked: readonly ParsedCheckedCalls[];
  readonly blocked: readonly BlockedCalls[];
  readonly policy: readonly PolicyCalls[];
  /** The tools in the kept lists, by server; servers without a kept list are missing. */
  readonly listed: ReadonlyMap<string, ReadonlySet<string>>;
  /** Whether tools that were not called are reported, too. */
  readonly addsListed: boolean;
}

/** The calls of a time range: each is counted in one of `checked`, `not_checked` and `not_known`. */
type RolloutTotals = Pick<
  Rollout,
  | "calls"
  | "checked"
  | "would_block"
  | "excused"
  | "not_checked"
  | "other_settings"
  | "not_known"
  | "policy"
>;

/** Outcomes of calls without a schema to compare with. */
const UNCOMPARED: Readonly<Record<UncomparedOutcome, (part: Direction) => string>> = {
  uncompilable: (part) => `the ${part} schema cannot be used`,
  undeclared: (part) => `the tool declares no ${part} schema`,
  unknown: () => "the tool's schemas are unknown",
};

const sum = (all: readonly { readonly calls: number }[]): number =>
  all.reduce((total, { calls }) => total + calls, 0);

/**
 * Returns the evidence in records for turning strict on: in total, and for each tool that was called or is listed.
 * @param most number of tools to return, the most called first
 */
export function readinessOf(
  evidence: RolloutEvidence,
  settings: RolloutSettings,
  most: number,
): {
  readonly totals: RolloutTotals;
  readonly tools: readonly ToolRollout[];
  readonly toolsLeftOut: number;
} {
  const { checked, blocked, policy, listed, addsListed } = evidence;
  const groups = groupByTool(checked);
  const [decided, policies] = [groupByTool(blocked), groupByTool(policy)];
  const placed = modesOf(settings);
  const names = new Map<string, { server: string | null; tool: string | null }>();
  for (const { server, tool } of [...checked, ...blocked]) {
    names.set(toolKey({ server, tool }), { server, tool });
  }
  for (const [server, tools] of addsListed ? listed : []) {
    for (const tool of tools) names.set(toolKey({ server, tool }), { server, tool });
  }
  const tools: (readonly [key: string, calls: number, of: () => ToolRollout])[] = [];
  const totals = {
    ...{ calls: 0, checked: 0, would_block: 0, excused: 0, not_checked: 0 },
    ...{ other_settings: 0, not_known: 0, policy: 0 },
  };
  for (const [key, { server, tool }] of names) {
    const own = new ToolEvidence(
      groups.get(key) ?? [],
      decided.get(key) ?? [],
      placed(server, tool),
    );
    const warned = sum(policies.get(key) ?? []);
    totals.calls += own.calls;
    totals.checked += own.checked;
    totals.would_block += own.wouldBlock;
    totals.excused += own.excused;
    totals.not_known += own.notKnown;
    totals.not_checked += own.calls - own.checked - own.notKnown;
    totals.other_settings += own.otherSettings;
    totals.policy += warned;
    if (tool === null) continue;
    const ofServer = server === null ? undefined : listed.get(server);
    const isGone = ofServer !== undefined && !ofServer.has(tool);
    // A server may have thousands of tools, of which only the most called ones are returned.
    const shown = (): ToolRollout => ({
      ...{ server, tool, calls: own.calls },
      input: own.direction("input", isGone),
      output: own.direction("output", isGone),
      protocol: own.direction("protocol", isGone),
      policy: warned,
    });
    tools.push([key, own.calls, shown]);
  }
  tools.sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1));
  const returned = tools.slice(0, most).map(([, , shown]) => shown());
  return { totals, tools: returned, toolsLeftOut: tools.length - returned.length };
}

/** The calls of one tool that are evidence for one direction. */
interface DirectionCount {
  readonly checked: number;
  readonly wouldBlock: number;
  /** How many of these strict blocked at the time, and the current settings forward. */
  readonly excused: number;
  /** See {@link BlockedCalls}. */
  readonly more: number;
  /** Calls that were compared, but with settings that prove nothing about the current ones. */
  readonly others: number;
}

/** The evidence in the records of one tool. */
class ToolEvidence {
  readonly calls: number;
  readonly checked: number;
  readonly wouldBlock: number;
  readonly excused: number;
  readonly notKnown: number;
  readonly otherSettings: number;
  readonly #groups: readonly ParsedCheckedCalls[];
  readonly #blocked: readonly BlockedCalls[];
  readonly #placed: PlacedModes | undefined;
  readonly #now: CurrentCheckScope;
  readonly #counts: Readonly<Record<Direction, DirectionCount>>;
  /** Calls whose records do not show what was checked. */
  readonly #unknown: number;

  constructor(
    groups: readonly ParsedCheckedCalls[],
    blocked: readonly BlockedCalls[],
    placed: PlacedModes | undefined,
  ) {
    this.#groups = groups;
    this.#blocked = blocked;
    this.#placed = placed;
    this.#now = currentCheckScope(groups, placed);
    this.#unknown = sum(groups.filter(({ found }) => found === undefined));
    this.#counts = {
      input: this.#count("input"),
      output: this.#count("output"),
      protocol: this.#count("protocol"),
    };
    const whole = this.#blockedIn(null);
    const isSeen = (group: ParsedCheckedCalls): boolean =>
      DIRECTIONS.some((direction) => this.#isEvidence(group, direction));
    const isOther = (group: ParsedCheckedCalls): boolean =>
      DIRECTIONS.some((one) => isCompared(group, one) && !this.#isEvidence(group, one));
    // If a setting only blocks in strict, calls in warn have no decision about it.
    const silent = groups.filter((group) => {
      const checks = [...(group.found?.values() ?? [])];
      const isDecided = checks.some(({ outcome }) => DECIDED.has(outcome));
      return !isDecided && DIRECTIONS.some((direction) => this.#isSilent(group, direction));
    });
    const unseen = silent.filter((group) => !isSeen(group));
    const others = DIRECTIONS.map((direction) => this.#counts[direction].wouldBlock);
    this.wouldBlock = Math.max(whole.calls + sum(silent), ...others);
    this.excused = whole.calls - whole.still;
    this.checked = Math.max(sum(groups.filter(isSeen)) + sum(unseen) + whole.more, this.wouldBlock);
    this.calls = Math.max(sum(groups), this.checked);
    this.notKnown = Math.min(Math.max(0, this.#unknown - whole.more), this.calls - this.checked);
    // Some of these calls may be evidence because of their decision.
    const left = DIRECTIONS.map((direction) => this.#left(direction).otherSettings);
    this.otherSettings = Math.min(
      sum(groups.filter(isOther)),
      left.reduce((a, b) => a + b),
    );
  }

  /** Returns the evidence for one direction, and the state that follows from it. */
  direction(direction: Direction, isGone: boolean): DirectionRollout {
    const { checked, wouldBlock, excused } = this.#counts[direction];
    const { notKnown, notChecked, otherSettings } = this.#left(direction);
    const latest = newestCheck(this.#groups, direction);
    const mode = this.#modeOf(direction, latest);
    const isElsewhere = this.#isElsewhere(direction, latest);
    const reason = Object.keys(UNCOMPARED).find(
      (outcome): outcome is UncomparedOutcome => outcome === latest?.outcome,
    );
    const left = [
      ...(isElsewhere ? [ELSEWHERE] : []),
      ...(notChecked > 0
        ? [`not checked: ${callsText(notChecked)}${otherSettingsText(otherSettings)}`]
        : []),
      ...(notKnown > 0 ? [`unknown: ${callsText(notKnown)}`] : []),
    ];
    const isPast = excused > 0 && excused === wouldBlock;
    const rest = [...(excused > 0 ? [excusedText(excused)] : []), ...left];
    const [state, text] = ((): readonly [RolloutState, string] => {
      if (isGone) return ["no_such_tool", "no such tool"];
      if (reason !== undefined) {
        const so = wouldBlock > 0 ? [`would block ${callsText(wouldBlock)}`] : [];
        const why = `cannot be checked: ${UNCOMPARED[reason](direction)}`;
        return ["cannot_be_checked", [why, ...so].join("; ")];
      }
      if (mode === "strict") {
        // Some of these calls may be from before the mode was strict, or from a pause: they were then forwarded.
        const verb = isPast ? "blocked" : "blocks";
        const so = checked > 0 ? `: ${verb} ${count(wouldBlock)} of ${count(checked)} checked` : "";
        return ["strict", [`strict already${so}`, ...rest].join("; ")];
      }
      if (wouldBlock > 0) {
        const verb = isPast ? "blocked" : "would block";
        return [
          "would_block",
          [`${verb} ${count(wouldBlock)} of ${count(checked)}`, ...rest].join("; "),
        ];
      }
      if (checked > 0) {
        return [
          "safe",
          [`safe: ${count(checked)} checked, 0 would be blocked`, ...left].join("; "),
        ];
      }
      return ["not_checked", left.join("; ") || "not checked: 0 calls"];
    })();
    return {
      state,
      text,
      checked,
      would_block: wouldBlock,
      excused,
      set_elsewhere: isElsewhere,
      not_checked: notChecked,
      other_settings: otherSettings,
      not_known: notKnown,
      ...(state === "cannot_be_checked" && reason !== undefined && { reason }),
    };
  }

  /** Returns the mode in force, or else that of the newest call; undefined if no record shows one. */
  #modeOf(direction: Direction, latest: RecordedCheck | undefined): Mode | "off" | undefined {
    if (this.#placed?.basis === "in_force") return this.#placed.modes?.[direction];
    return isCheckOff(this.#groups, direction) ? "off" : latest?.mode;
  }

  /** Returns whether the newest check was made in another mode, or for other issues, than in the assumed settings. */
  #isElsewhere(direction: Direction, latest: RecordedCheck | undefined): boolean {
    const placed = this.#placed;
    if (placed?.basis !== "assumed" || latest === undefined) return false;
    const mode = this.#modeOf(direction, latest);
    if (placed.modes !== undefined && mode !== placed.modes[direction]) return true;
    return direction !== "protocol" && hasOtherCheckScope(this.#groups, direction, placed);
  }

  /** Returns the numbers of calls that are not evidence for a direction. */
  #left(
    direction: Direction,
  ): Readonly<Record<"notKnown" | "notChecked" | "otherSettings", number>> {
    const { checked, more, others } = this.#counts[direction];
    const calls = Math.max(this.calls, checked);
    const notKnown = Math.min(Math.max(0, this.#unknown - more), calls - checked);
    const notChecked = calls - checked - notKnown;
    return { notKnown, notChecked, otherSettings: Math.min(others, notChecked) };
  }

  #count(direction: Direction): DirectionCount {
    const { calls, more, still } = this.#blockedIn(direction);
    const silent = this.#groups.filter((group) => this.#isSilent(group, direction));
    const unseen = silent.filter((group) => !this.#isEvidence(group, direction));
    const seen = this.#groups.filter((group) => this.#isEvidence(group, direction));
    const wouldBlock = calls + sum(silent);
    const others = this.#groups.filter(
      (group) => isCompared(group, direction) && !this.#isEvidence(group, direction),
    );
    const checked = Math.max(sum(seen) + sum(unseen) + more, wouldBlock);
    return { checked, wouldBlock, excused: calls - still, more, others: sum(others) };
  }

  /** Returns whether the check of a direction is evidence for the schema and the current settings. */
  #isEvidence(group: ParsedCheckedCalls, direction: Direction): boolean {
    return isCompared(group, direction) && coveredCurrentScope(group, direction, this.#now);
  }

  #blockedIn(direction: Direction | null): BlockedCalls {
    const found = this.#blocked.find((each) => each.direction === direction);
    return found ?? { server: null, tool: null, direction, calls: 0, more: 0, still: 0 };
  }

  /** Returns whether strict would block calls that have no decision in warn. */
  #isSilent(group: ParsedCheckedCalls, direction: Direction): boolean {
    if (direction === "protocol" || this.#placed === undefined) return false;
    if (!isCurrentSchema(group, direction)) return false;
    const check = group.found?.get(direction);
    if (check?.mode !== "warn") return false;
    if (check.outcome === "missing") return this.#placed.blocksMissing ?? check.isBlockable;
    if (check.outcome !== "uncompilable") return false;
    const { external, others } = this.#placed.blocksUnusable[direction];
    return check.isExternal ? external : others;
  }
}

/** Outcomes that leave a decision in warn. */
const DECIDED: ReadonlySet<string> = new Set(["violation", "guard", "budget", "unknown"]);

/**
 * Returns a text with the number of calls that do not count because they were checked with settings that prove
 * nothing about the current ones.
 */
function otherSettingsText(count: number): string {
  return count === 0 ? "" : ` (with other settings: ${count.toLocaleString("en")})`;
}

/** The text for a state that depends on settings outside of the file. */
const ELSEWHERE = "not set in the file";

/** Returns a text with the number of calls that strict blocked and the current settings would forward. */
function excusedText(count: number): string {
  return `the current settings allow ${count.toLocaleString("en")} of these`;
}

const count = (number: number): string => number.toLocaleString("en");

function callsText(count: number): string {
  return `${count.toLocaleString("en")} ${count === 1 ? "call" : "calls"}`;
}
