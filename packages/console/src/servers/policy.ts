import type { ShownPolicy, ShownSettings } from "@touchstone/gateway/api";

/** Returns what limits the calls of all servers; undefined if nothing does. */
export function policyOf({ validation }: ShownSettings): ShownPolicy | undefined {
  const { policy, limits = [] } = validation;
  if (policy === undefined && limits.length === 0) return undefined;
  return { mode: "strict", levels: [], ...policy, limits, tools: [] };
}

/** Returns whether the mode has any effect: limits on the rate of calls apply in every mode. */
export function isModeUsed({ levels, tools }: ShownPolicy): boolean {
  return levels.length > 0 || tools.some(({ narrow }) => narrow !== undefined);
}
