import type { SettingsByPlace } from "../policy/excuses.ts";
import type { PolicySettings } from "../policy/settings.ts";
import { decideTool, refusesTools } from "../policy/tools.ts";
import type { ActivityScope } from "./filter.ts";
import type { ActivityReader, SentCalls } from "./store.ts";

/** Recorded calls of one tool and caller that policy would have blocked, or may have. */
export interface PolicyOffence extends SentCalls {
  /** The setting: `allow_tools`, `deny_tools` or `read_only`. */
  readonly rule: string;
  readonly reason: string;
}

/** What policy would have blocked of calls that went on to their servers. */
export interface PolicyRollout {
  /** Calls that went on. */
  readonly calls: number;
  readonly would_block: number;
  /** Calls that it would have blocked unless something holds that records do not have. */
  readonly unknown: number;
  /** By server, tool, caller and rule; the most frequent first. */
  readonly offences: readonly PolicyOffence[];
  /** The calls of which that is not known, and why. */
  readonly unknowns: readonly PolicyOffence[];
  /** Calls of combinations of server, tool and caller beyond the 10,000 most frequent, which were not looked at. */
  readonly left_out: number;
}

const UNRECORDED = "records do not have what a tool declares (readOnlyHint)";

/**
 * Compares recorded calls with the lists of tools of a configuration, as if its mode were `strict`. A server that the
 * configuration does not have goes by its top level.
 * @returns undefined if the configuration has no policy about tools that is not off
 */
export async function policyRollout(
  reader: Pick<ActivityReader, "sentCalls">,
  scope: ActivityScope,
  { settings, servers }: SettingsByPlace,
): Promise<PolicyRollout | undefined> {
  const byServer = new Map(servers.map((server) => [server.name, server.settings.policy]));
  if (![settings.policy, ...byServer.values()].some(refusesTools)) return undefined;
  const { counts, calls, left_out } = await reader.sentCalls(scope);
  const offences: PolicyOffence[] = [];
  const unknowns: PolicyOffence[] = [];
  for (const count of counts) {
    const { server, tool } = count;
    const own = server !== null && byServer.has(server) ? byServer.get(server) : settings.policy;
    const policy = asStrict(own);
    const name = tool ?? undefined;
    const byName = decideTool(policy, { name, isReadOnly: true });
    if (byName.keyword !== undefined) {
      offences.push({ ...count, rule: byName.keyword, reason: byName.reason });
      continue;
    }
    const { keyword: rule } = decideTool(policy, { name, isReadOnly: undefined });
    if (rule !== undefined) unknowns.push({ ...count, rule, reason: UNRECORDED });
  }
  const sum = (all: readonly PolicyOffence[]): number =>
    all.reduce((total, { calls: own }) => total + own, 0);
  return {
    calls,
    would_block: sum(offences),
    unknown: sum(unknowns),
    offences,
    unknowns,
    left_out,
  };
}

/** A policy that is off stays off. */
function asStrict(policy: PolicySettings | undefined): PolicySettings | undefined {
  return policy === undefined || policy.mode === "off" ? policy : { ...policy, mode: "strict" };
}
