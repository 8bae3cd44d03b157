import type { ConfigAction, Rollout, RolloutOffence } from "@touchstone/gateway/api";
import type { ChartSeries } from "../chart/series.ts";
import { visible } from "../text/visible.ts";

/** What to add to `mcpServers` in `touchstone.json`. */
type SuggestedRules = Extract<ConfigAction, { readonly kind: "rules" }>["mcpServers"];

/** Returns the rules that would forward what strict blocks; undefined if none would. */
export function rulesOf({ suggestion }: Rollout): SuggestedRules | undefined {
  const { mcpServers = {} } = suggestion ?? {};
  return Object.keys(mcpServers).length > 0 ? mcpServers : undefined;
}

/** Calls that strict would have blocked; a member is null if calls are not grouped by it. */
export type OffenceGroup = Pick<
  RolloutOffence,
  "server" | "tool" | "direction" | "outcome" | "rule" | "calls"
>;

/** What offences can be grouped by; `all` keeps them separate. */
export const GROUPS = ["all", "server", "tool", "rule", "direction"] as const;
export type Group = (typeof GROUPS)[number];

/** Returns the offence with the name of its rule: for undeclared arguments, the class alone does not show the rule. */
function named({ undeclared, rule, ...offence }: RolloutOffence): OffenceGroup {
  return { ...offence, rule: undeclared === "all" ? "undeclared" : rule };
}

/** Groups offences by server, tool, rule or direction, the most frequent first. */
export function groupOffences(
  offences: readonly RolloutOffence[],
  by: Group,
): readonly OffenceGroup[] {
  const all = offences.map(named);
  if (by === "all") return all;
  const none = { server: null, tool: null, direction: null, outcome: null, rule: null };
  const groups = new Map<string, OffenceGroup>();
  for (const offence of all) {
    // Tools of two servers may have the same name.
    const server = by === "tool" ? { server: offence.server } : {};
    const key = JSON.stringify([server, offence[by]]);
    const calls = (groups.get(key)?.calls ?? 0) + offence.calls;
    groups.set(key, { ...none, ...server, [by]: offence[by], calls });
  }
  return [...groups.values()].sort((a, b) => b.calls - a.calls);
}

/** Returns the label of a group of offences. */
function groupLabel(offence: OffenceGroup, by: Group): string {
  if (by === "all") return "";
  const name = offence[by] ?? "–";
  return by === "tool" ? `${offence.server ?? "–"} / ${name}` : name;
}

/** All calls, each counted once, from bottom to top. */
const PARTS = [
  ["would not be blocked", "--color-chart-plain", (of) => of.checked - of.would_block],
  ["not known", "--color-chart-refused", (of) => of.calls - of.checked],
  ["would be blocked", "--color-chart-bad", (of) => of.would_block],
] as const satisfies readonly (readonly [string, string, (of: Rollout) => number])[];

/** The colors of groups. */
const COLORS = ["--color-bad", "--color-good", "--color-code-atom", "--color-warn"] as const;

/**
 * Returns the series of a chart: all calls, or the calls of the most frequent groups that would have been blocked.
 * @param most maximum number of groups
 */
export function rolloutSeries(
  whole: Rollout,
  parts: readonly Rollout[],
  by: Group,
  most: number,
): readonly ChartSeries[] {
  if (by === "all") {
    return PARTS.map(([name, color, count]) => ({ name, color, values: parts.map(count) }));
  }
  const labels = groupOffences(whole.offences, by).map((offence) => groupLabel(offence, by));
  const grouped = parts.map(({ offences }) => {
    const groups = groupOffences(offences, by);
    return new Map(groups.map((group) => [groupLabel(group, by), group.calls]));
  });
  return labels.slice(0, most).map((label, index) => ({
    name: visible(label),
    color: COLORS[index % COLORS.length] ?? COLORS[0],
    values: grouped.map((calls) => calls.get(label) ?? 0),
  }));
}
