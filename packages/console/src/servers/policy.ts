import type { ShownCaller, ShownPolicy, ShownSettings } from "@touchstone/gateway/api";

/** The limits of a tool's or a caller's calls; what is absent is not limited. */
export type CallLimits = Pick<ShownCaller, "callsPerMinute" | "resultBytes">;

/** Returns limits in words. */
export function limitTexts({ callsPerMinute, resultBytes }: CallLimits): readonly string[] {
  return [
    ...(callsPerMinute === undefined ? [] : [`${callsPerMinute} calls per minute`]),
    ...(resultBytes === undefined ? [] : [`results of up to ${resultBytes} bytes`]),
  ];
}

/** Returns what limits the calls of all servers; undefined if nothing does. */
export function policyOf({ validation }: ShownSettings): ShownPolicy | undefined {
  const { policy, rates = [], resultLimit } = validation;
  if (policy === undefined && rates.length === 0 && resultLimit === undefined) return undefined;
  return { mode: "strict", levels: [], ...policy, rates, resultLimit, tools: [] };
}

/** Whether there is something that the mode decides about: how often tools are called is limited in every mode. */
export function hasMode({ levels, tools }: ShownPolicy): boolean {
  return levels.length > 0 || tools.some(({ narrow }) => narrow !== undefined);
}
