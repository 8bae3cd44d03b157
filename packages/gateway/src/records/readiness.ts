import { blocksUnusable, EXTERNAL } from "../features/invalid-schemas/decide.ts";
import { modesOf, type PlacedModes, type RolloutSettings } from "../policy/rollout-settings.ts";
import type { Direction, Mode } from "../policy/settings.ts";
import type { DirectionRollout, Rollout, ToolRollout } from "./api/schemas.ts";
import { DIRECTIONS } from "./filter.ts";

type RolloutState = DirectionRollout["state"];
type UncomparedOutcome = NonNullable<DirectionRollout["reason"]>;

/** Calls of one tool whose records say the same of their checks. */
export interface CheckedCalls {
  readonly server: string | null;
  readonly tool: string | null;
  /** Field `checks`; `null` in records of earlier builds. */
  readonly checks: string | null;
  /** 0 for calls from before the schema of the direction changed. */
  readonly input_now: number;
  readonly output_now: number;
  readonly calls: number;
  /** Id of the last one. */
  readonly last: string;
}

/** Calls of one tool that strict would have blocked, or did. */
export interface BlockedCalls {
  readonly server: string | null;
  readonly tool: string | null;
  /** `null`: in any direction. */
  readonly direction: Direction | null;
  readonly calls: number;
  /** Of these, how many are not among {@link CheckedCalls} as checked. */
  readonly more: number;
}

/** Calls of one tool that a policy or pin forwarded with a warning. */
export interface PolicyCalls {
  readonly server: string | null;
  readonly tool: string | null;
  readonly calls: number;
}

/** What the records of a stretch of time show about checks. */
export interface RolloutEvidence {
  readonly checked: readonly CheckedCalls[];
  readonly blocked: readonly BlockedCalls[];
  readonly policy: readonly PolicyCalls[];
  /** The tools in the kept lists of a server; a server without a kept list is not in it. */
  readonly listed: ReadonlyMap<string, ReadonlySet<string>>;
  /** Whether tools that were not called are reported, too. */
  readonly addsListed: boolean;
}

/** The calls of a stretch of time: each is in one of `checked`, `not_checked` and `not_known`. */
type RolloutTotals = Pick<
  Rollout,
  "calls" | "checked" | "would_block" | "not_checked" | "not_known" | "policy"
>;

/** Outcomes that are evidence: the payload was compared. */
export const COMPARED: ReadonlySet<string> = new Set([
  "pass",
  "violation",
  "guard",
  "budget",
  "missing",
]);
/** Outcomes of calls without a schema to compare with. */
const UNCOMPARED: Readonly<Record<UncomparedOutcome, (part: Direction) => string>> = {
  uncompilable: (part) => `the ${part} schema cannot be used`,
  undeclared: (part) => `the tool declares no ${part} schema`,
  unknown: () => "the tool's schemas are unknown",
};

interface Check {
  readonly mode: Mode;
  readonly outcome: string;
  /** Whether the schema refers to another document. */
  readonly isExternal: boolean;
}

/** Returns the checks that a record's field `checks` names, by direction. */
export function checksIn(text: string): ReadonlyMap<Direction, Check> {
  const found = new Map<Direction, Check>();
  for (const part of text.split(", ")) {
    const [name, mode, outcome = "", why] = part.split(" ");
    const direction = DIRECTIONS.find((one) => one === name);
    if (direction === undefined || (mode !== "warn" && mode !== "strict")) continue;
    found.set(direction, { mode, outcome, isExternal: why === EXTERNAL });
  }
  return found;
}

/** Calls with what their records say of their checks; undefined if they say nothing. */
interface ReadCalls extends CheckedCalls {
  readonly found: ReadonlyMap<Direction, Check> | undefined;
}

const readCalls = (group: CheckedCalls): ReadCalls => ({
  ...group,
  found: group.checks === null ? undefined : checksIn(group.checks),
});

/** Returns whether calls were checked by the schema of now. */
function isNow(group: CheckedCalls, direction: Direction): boolean {
  if (direction === "protocol") return true;
  return (direction === "input" ? group.input_now : group.output_now) !== 0;
}

/** Returns whether the check of a direction is evidence for the schema of now. */
function isEvidence(group: ReadCalls, direction: Direction): boolean {
  const check = isNow(group, direction) ? group.found?.get(direction) : undefined;
  return check !== undefined && COMPARED.has(check.outcome);
}

const keyOf = ({ server, tool }: { server: string | null; tool: string | null }): string =>
  JSON.stringify([server, tool]);

function byTool<T extends { readonly server: string | null; readonly tool: string | null }>(
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

const sum = (all: readonly { readonly calls: number }[]): number =>
  all.reduce((total, { calls }) => total + calls, 0);

/**
 * Returns what records show about turning strict on: in total, and for each tool that was called or is listed.
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
  const groups = byTool(checked.map(readCalls));
  const [decided, policies] = [byTool(blocked), byTool(policy)];
  const placed = modesOf(settings);
  const names = new Map<string, { server: string | null; tool: string | null }>();
  for (const { server, tool } of [...checked, ...blocked]) {
    names.set(keyOf({ server, tool }), { server, tool });
  }
  for (const [server, tools] of addsListed ? listed : []) {
    for (const tool of tools) names.set(keyOf({ server, tool }), { server, tool });
  }
  const tools: (readonly [key: string, calls: number, of: () => ToolRollout])[] = [];
  const totals = { calls: 0, checked: 0, would_block: 0, not_checked: 0, not_known: 0, policy: 0 };
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
    totals.not_known += own.notKnown;
    totals.not_checked += own.calls - own.checked - own.notKnown;
    totals.policy += warned;
    if (tool === null) continue;
    const ofServer = server === null ? undefined : listed.get(server);
    const isGone = ofServer !== undefined && !ofServer.has(tool);
    // A server may have thousands, of which only the most called are returned.
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

/** The calls of one tool that show something of one direction. */
interface DirectionCount {
  readonly checked: number;
  readonly wouldBlock: number;
  /** See {@link BlockedCalls}. */
  readonly more: number;
}

/** What the records of one tool show. */
class ToolEvidence {
  readonly calls: number;
  readonly checked: number;
  readonly wouldBlock: number;
  readonly notKnown: number;
  readonly #groups: readonly ReadCalls[];
  readonly #blocked: readonly BlockedCalls[];
  readonly #placed: PlacedModes | undefined;
  readonly #counts: Readonly<Record<Direction, DirectionCount>>;
  /** Calls of which records do not say what was checked. */
  readonly #unknown: number;

  constructor(
    groups: readonly ReadCalls[],
    blocked: readonly BlockedCalls[],
    placed: PlacedModes | undefined,
  ) {
    this.#groups = groups;
    this.#blocked = blocked;
    this.#placed = placed;
    this.#unknown = sum(groups.filter(({ found }) => found === undefined));
    this.#counts = {
      input: this.#count("input"),
      output: this.#count("output"),
      protocol: this.#count("protocol"),
    };
    const whole = this.#blockedIn(null);
    const isSeen = (group: ReadCalls): boolean =>
      DIRECTIONS.some((direction) => isEvidence(group, direction));
    // A setting that blocks only in strict leaves no decision in warn.
    const silent = groups.filter((group) => {
      const checks = [...(group.found?.values() ?? [])];
      const isDecided = checks.some(({ outcome }) => DECIDED.has(outcome));
      return !isDecided && DIRECTIONS.some((direction) => this.#isSilent(group, direction));
    });
    const unseen = silent.filter((group) => !isSeen(group));
    const others = DIRECTIONS.map((direction) => this.#counts[direction].wouldBlock);
    this.wouldBlock = Math.max(whole.calls + sum(silent), ...others);
    this.checked = Math.max(sum(groups.filter(isSeen)) + sum(unseen) + whole.more, this.wouldBlock);
    this.calls = Math.max(sum(groups), this.checked);
    this.notKnown = Math.min(Math.max(0, this.#unknown - whole.more), this.calls - this.checked);
  }

  /** Returns the evidence for one direction, and the state that follows from it. */
  direction(direction: Direction, isGone: boolean): DirectionRollout {
    const { checked, wouldBlock, more } = this.#counts[direction];
    const calls = Math.max(this.calls, checked);
    const notKnown = Math.min(Math.max(0, this.#unknown - more), calls - checked);
    const notChecked = calls - checked - notKnown;
    const latest = this.#latest(direction);
    const mode = this.#placed?.modes?.[direction] ?? latest?.mode;
    const reason = Object.keys(UNCOMPARED).find(
      (outcome): outcome is UncomparedOutcome => outcome === latest?.outcome,
    );
    const count = (number: number): string => number.toLocaleString("en");
    const left = [
      ...(notChecked > 0 ? [`not checked: ${callsText(notChecked)}`] : []),
      ...(notKnown > 0 ? [`not known: ${callsText(notKnown)}`] : []),
    ];
    const [state, text] = ((): readonly [RolloutState, string] => {
      if (isGone) return ["no_such_tool", "no such tool"];
      if (reason !== undefined) {
        const so = wouldBlock > 0 ? `; would block ${callsText(wouldBlock)}` : "";
        return ["cannot_be_checked", `cannot be checked: ${UNCOMPARED[reason](direction)}${so}`];
      }
      if (mode === "strict") {
        const so = checked > 0 ? `: ${count(wouldBlock)} of ${count(checked)} blocked` : "";
        return ["strict", [`strict already${so}`, ...left].join("; ")];
      }
      if (wouldBlock > 0) {
        return [
          "would_block",
          [`would block ${count(wouldBlock)} of ${count(checked)}`, ...left].join("; "),
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
      not_checked: notChecked,
      not_known: notKnown,
      ...(state === "cannot_be_checked" && reason !== undefined && { reason }),
    };
  }

  #count(direction: Direction): DirectionCount {
    const { calls, more } = this.#blockedIn(direction);
    const silent = this.#groups.filter((group) => this.#isSilent(group, direction));
    const unseen = silent.filter((group) => !isEvidence(group, direction));
    const seen = this.#groups.filter((group) => isEvidence(group, direction));
    const wouldBlock = calls + sum(silent);
    return { checked: Math.max(sum(seen) + sum(unseen) + more, wouldBlock), wouldBlock, more };
  }

  #blockedIn(direction: Direction | null): BlockedCalls {
    const found = this.#blocked.find((each) => each.direction === direction);
    return found ?? { server: null, tool: null, direction, calls: 0, more: 0 };
  }

  /** Returns whether strict would block calls although warn has no decision about them. */
  #isSilent(group: ReadCalls, direction: Direction): boolean {
    if (direction === "protocol" || this.#placed === undefined) return false;
    if (!isNow(group, direction)) return false;
    const check = group.found?.get(direction);
    if (check?.mode !== "warn") return false;
    if (check.outcome === "missing") return this.#placed.blocksMissing;
    if (check.outcome !== "uncompilable") return false;
    const onInvalidSchema = this.#placed.onInvalidSchema[direction];
    return blocksUnusable({ mode: "strict", onInvalidSchema }, check.isExternal);
  }

  /** Returns the latest check of a direction; undefined if none is recorded. */
  #latest(direction: Direction): Check | undefined {
    let last = "";
    let found: Check | undefined;
    for (const { found: checks, last: id } of this.#groups) {
      const check = checks?.get(direction);
      // Whether an error has structured content says nothing about the schema.
      if (check === undefined || check.outcome === "skipped" || id <= last) continue;
      last = id;
      found = check;
    }
    return found;
  }
}

/** Outcomes that leave a decision in warn. */
const DECIDED: ReadonlySet<string> = new Set(["violation", "guard", "budget", "unknown"]);

function callsText(count: number): string {
  return `${count.toLocaleString("en")} ${count === 1 ? "call" : "calls"}`;
}
