import type { ConfigAction } from "@touchstone/gateway/api";
import { numberOf, readList, textOf } from "../api/untyped.ts";
import { isObject } from "../json/object.ts";
import { DIRECTIONS, type Direction } from "../servers/modes.ts";

/** Calls that strict would have blocked for one reason; fields that do not apply are null. */
export interface Offence {
  readonly server: string | null;
  readonly tool: string | null;
  readonly direction: string | null;
  readonly outcome: string | null;
  readonly rule: string | null;
  readonly calls: number;
}

/** What records show about strict for one direction of a tool. */
export interface DirectionEvidence {
  readonly state: string;
  /** The state for people, with the counts that it rests on. */
  readonly text: string;
  /** Why it cannot be checked; null in other states. */
  readonly reason: string | null;
}

/** What records show about strict for one tool. */
export interface ToolEvidence extends Readonly<Record<Direction, DirectionEvidence>> {
  readonly server: string;
  readonly tool: string;
  readonly calls: number;
  /** Calls that a policy or pin in warn forwarded: strict for the tool does not change these. */
  readonly policy: number;
}

/**
 * What strict would block, or did, of the recorded calls, as `GET /api/v1/activity/rollout` reports it.
 */
export interface Rollout {
  /** Number of recorded calls; each is in one of the three below. */
  readonly calls: number;
  /** Calls with a direction that was checked. */
  readonly checked: number;
  readonly notChecked: number;
  /** Calls of earlier versions, whose records do not have what was checked. */
  readonly notKnown: number;
  readonly tools: readonly ToolEvidence[];
  readonly toolsLeftOut: number;
  readonly wouldBlock: number;
  /** Number of messages that were not calls. */
  readonly otherMessages: number;
  /** A call that broke several rules counts in each of them. */
  readonly offences: readonly Offence[];
  /** Number of further combinations of tool and rules that `offences` omits. */
  readonly leftOut: number;
  /** What to add to `mcpServers` in `touchstone.json`, if rules would help. */
  readonly rules?: Extract<ConfigAction, { readonly kind: "rules" }>["mcpServers"];
  /** Offences that no rule can excuse. */
  readonly left: readonly Offence[];
}

function readOffence(item: unknown): Offence | undefined {
  const calls = numberOf(item, "calls");
  if (calls === null) return undefined;
  return {
    server: textOf(item, "server"),
    tool: textOf(item, "tool"),
    direction: textOf(item, "direction"),
    outcome: textOf(item, "outcome"),
    // Its class says nothing of it, nor do rules about the class.
    rule: isObject(item) && item["undeclared"] === "all" ? "undeclared" : textOf(item, "rule"),
    calls,
  };
}

function readDirection(value: unknown): DirectionEvidence | undefined {
  const [state, text] = [textOf(value, "state"), textOf(value, "text")];
  if (state === null || text === null) return undefined;
  return { state, text, reason: textOf(value, "reason") };
}

function readTool(item: unknown): ToolEvidence | undefined {
  const [server, tool, calls] = [
    textOf(item, "server"),
    textOf(item, "tool"),
    numberOf(item, "calls"),
  ];
  if (!isObject(item) || server === null || tool === null || calls === null) return undefined;
  const [input, output, protocol] = DIRECTIONS.map((direction) => readDirection(item[direction]));
  if (input === undefined || output === undefined || protocol === undefined) return undefined;
  return { server, tool, calls, policy: numberOf(item, "policy") ?? 0, input, output, protocol };
}

/** Reads the API's response; undefined if it is not valid. */
export function readRollout(answer: unknown): Rollout | undefined {
  if (!isObject(answer)) return undefined;
  const [calls, checked] = [numberOf(answer, "calls"), numberOf(answer, "checked")];
  const wouldBlock = numberOf(answer, "would_block");
  const offences = readList(answer["offences"], readOffence);
  const tools = readList(answer["tools"], readTool);
  if (calls === null || checked === null || wouldBlock === null) return undefined;
  if (offences === undefined || tools === undefined) return undefined;
  const { suggestion } = answer;
  const servers = isObject(suggestion) ? suggestion["mcpServers"] : undefined;
  const helps = isObject(servers) && Object.keys(servers).length > 0;
  return {
    calls,
    checked,
    notChecked: numberOf(answer, "not_checked") ?? 0,
    notKnown: numberOf(answer, "not_known") ?? 0,
    tools,
    toolsLeftOut: numberOf(answer, "tools_left_out") ?? 0,
    wouldBlock,
    otherMessages: numberOf(answer, "other_messages") ?? 0,
    offences,
    leftOut: numberOf(answer, "offences_left_out") ?? 0,
    left: (isObject(suggestion) ? readList(suggestion["left"], readOffence) : undefined) ?? [],
    ...(helps ? { rules: servers as NonNullable<Rollout["rules"]> } : {}),
  };
}

/** What offences can be grouped by; `all` keeps them separate. */
export const GROUPS = ["all", "server", "tool", "rule", "direction"] as const;
export type Group = (typeof GROUPS)[number];

/** Groups offences by server, tool, rule or direction, the most frequent first. */
export function groupOffences(offences: readonly Offence[], by: Group): readonly Offence[] {
  if (by === "all") return offences;
  const none = { server: null, tool: null, direction: null, outcome: null, rule: null };
  const groups = new Map<string, Offence>();
  for (const offence of offences) {
    // Tools of two servers may have the same name.
    const named = by === "tool" ? { server: offence.server } : {};
    const key = JSON.stringify([named.server, offence[by]]);
    const calls = (groups.get(key)?.calls ?? 0) + offence.calls;
    groups.set(key, { ...none, ...named, [by]: offence[by], calls });
  }
  return [...groups.values()].sort((a, b) => b.calls - a.calls);
}

/** One line of the plot: a group's calls in each time step. */
export interface Series {
  readonly label: string;
  readonly values: readonly number[];
}

/** Returns the label of a group of offences. */
function groupLabel(offence: Offence, by: Group): string {
  if (by === "all") return "";
  const name = offence[by] ?? "–";
  return by === "tool" ? `${offence.server ?? "–"} / ${name}` : name;
}

/**
 * Returns the most frequent groups of the whole, each with its calls in each part.
 * @param most maximum number of groups
 */
export function seriesOf(
  whole: Rollout,
  parts: readonly Rollout[],
  by: Group,
  most: number,
): readonly Series[] {
  if (by === "all") return [];
  const labels = groupOffences(whole.offences, by).map((offence) => groupLabel(offence, by));
  const grouped = parts.map(({ offences }) => {
    const groups = groupOffences(offences, by);
    return new Map(groups.map((group) => [groupLabel(group, by), group.calls]));
  });
  return labels
    .slice(0, most)
    .map((label) => ({ label, values: grouped.map((calls) => calls.get(label) ?? 0) }));
}
