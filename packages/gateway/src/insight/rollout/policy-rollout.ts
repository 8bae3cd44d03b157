import type { ActivityScope } from "@touchstone/records/filter";
import type { ActivityReader, SentCalls } from "@touchstone/records/plain";
import { type CallerPolicy, callerPolicy } from "../../features/caller.ts";
import { narrowingsOf } from "../../features/narrow/narrow.ts";
import type { PolicySettings } from "../../features/policy/policy.ts";
import { decideTool, refusesTools, withCallerRules } from "../../features/tool-lists/decide.ts";
import type { SettingsByLevel } from "../../policy/exemptions.ts";
import { callerToolKey, MAX_CALLS_READ, narrowRollout } from "./narrow-rollout.ts";

/** Recorded calls of one tool and caller that the policy would, or might, have blocked. */
export interface PolicyOffence extends SentCalls {
  /**
   * The setting, such as `deny_tools`, `read_only` or `auth.keys`; for a value, the keyword: `within`, `hosts`,
   * `narrow`.
   */
  readonly rule: string;
  readonly reason: string;
}

/** What the policy would have blocked among calls that were sent to their servers. */
export interface PolicyRollout {
  /** Calls that were sent. */
  readonly calls: number;
  readonly would_block: number;
  /** Calls that it would have blocked, except under a condition that records do not show. */
  readonly unknown: number;
  /** By server, tool, caller and rule; the most frequent first. */
  readonly offences: readonly PolicyOffence[];
  /** The calls for which the outcome is unknown, and why. */
  readonly unknowns: readonly PolicyOffence[];
  /** Calls of combinations of server, tool and caller beyond the 10,000 most frequent, which were not checked. */
  readonly left_out: number;
}

/** What a key or token allows; what is absent is not restricted. */
interface CallerRights {
  readonly servers?: readonly string[];
  readonly tools?: readonly string[];
  readonly readOnly?: boolean;
}

/** The parts of a configuration that say what is forbidden. */
export interface PolicySource extends SettingsByLevel {
  readonly auth?: {
    readonly keys?: readonly ({ readonly name: string } & CallerRights)[] | undefined;
    readonly jwt?: CallerRights | undefined;
  };
}

const UNRECORDED = "records do not have what a tool declares (readOnlyHint)";
const UNREAD = `of the calls that policy applies to, only the newest ${MAX_CALLS_READ.toLocaleString("en")} are read`;

/**
 * Compares recorded calls with what a configuration forbids, as if its mode were `strict`: lists of tools, what keys
 * and tokens of callers allow, and values of arguments (`narrow`). For a server that the configuration does not have,
 * the top level applies. A call counts once, for the first setting that refuses it.
 * @returns undefined if the configuration forbids nothing, or its policy is off
 */
export async function policyRollout(
  reader: Pick<ActivityReader, "sentCalls" | "scan">,
  scope: ActivityScope,
  source: PolicySource,
): Promise<PolicyRollout | undefined> {
  const { settings, servers } = source;
  const byServer = new Map(servers.map((server) => [server.name, server.settings.policy]));
  const callers = callersOf(source);
  const narrowed = servers.filter(({ tools }) => narrowingsOf(tools) !== undefined);
  const hasLists = [settings.policy, ...byServer.values()].some(refusesTools);
  if (!hasLists && callers === undefined && narrowed.length === 0) return undefined;
  const { counts, calls, left_out } = await reader.sentCalls(scope);
  const byValue = await narrowRollout(reader, scope, { servers: narrowed });
  const offences: PolicyOffence[] = [];
  const unknowns: PolicyOffence[] = [];
  for (const count of counts) {
    const { server, tool, caller } = count;
    const own = server !== null && byServer.has(server) ? byServer.get(server) : settings.policy;
    const who = callers?.(caller, server);
    if (who?.refuses !== undefined) {
      offences.push({ ...count, rule: who.rule, reason: who.refuses });
      continue;
    }
    const policy =
      who?.policy === undefined ? asStrict(own) : withCallerRules(asStrict(own), who.policy);
    const name = tool ?? undefined;
    const byName = decideTool(policy, { name, isReadOnly: true });
    if (byName.keyword !== undefined) {
      offences.push({ ...count, rule: byName.keyword, reason: byName.reason });
      continue;
    }
    const { read = 0, found = [] } = byValue.get(callerToolKey(server, tool, caller)) ?? {};
    const refused = found.filter(({ isKnown }) => isKnown);
    for (const { rule, reason, calls: own } of refused) {
      offences.push({ ...count, rule, reason, calls: own });
    }
    const left = Math.max(0, count.calls - sum(refused));
    const { keyword: rule } = decideTool(policy, { name, isReadOnly: undefined });
    if (left === 0) continue;
    if (who?.unsure !== undefined) {
      unknowns.push({ ...count, rule: who.rule, reason: who.unsure, calls: left });
    } else if (rule !== undefined) {
      unknowns.push({ ...count, rule, reason: UNRECORDED, calls: left });
    } else {
      for (const { isKnown, rule, reason, calls: own } of found) {
        if (!isKnown) unknowns.push({ ...count, rule, reason, calls: own });
      }
      const isNarrowed = narrowed.some(
        (each) => each.name === server && narrowingsOf(each.tools)?.of(tool ?? "") !== undefined,
      );
      const unread = isNarrowed ? count.calls - read : 0;
      if (unread > 0) unknowns.push({ ...count, rule: "narrow", reason: UNREAD, calls: unread });
    }
  }
  const most = (a: PolicyOffence, b: PolicyOffence): number => b.calls - a.calls;
  return {
    calls,
    would_block: sum(offences),
    unknown: sum(unknowns),
    offences: offences.sort(most),
    unknowns: unknowns.sort(most),
    left_out,
  };
}

function sum(all: readonly { readonly calls: number }[]): number {
  return all.reduce((total, { calls }) => total + calls, 0);
}

/** What a configuration says about a caller at a server: one of `refuses`, `unsure` and `policy`. */
interface Allowed {
  /** The setting that decides. */
  readonly rule: string;
  /** Why it refuses all calls. */
  readonly refuses?: string;
  /** Why it is unknown whether the setting refuses the calls. */
  readonly unsure?: string;
  readonly policy?: CallerPolicy;
}

/**
 * Returns what `auth.keys` and `auth.jwt` say about callers; undefined if there are none. Names of keys are never
 * those of tokens, so a name without a key belongs to a token.
 */
function callersOf({
  auth: { keys, jwt } = {},
}: PolicySource): ((caller: string | null, server: string | null) => Allowed) | undefined {
  if (keys === undefined && jwt === undefined) return undefined;
  const byName = new Map(keys?.map((key) => [key.name, key] as const));
  return (caller, server) => {
    if (caller === null) return { rule: "auth.keys", unsure: "records do not say who called" };
    const key = byName.get(caller);
    const rights = key ?? jwt;
    if (rights === undefined) {
      return { rule: "auth.keys", refuses: "no key of auth.keys has this name" };
    }
    const rule = key === undefined ? "auth.jwt" : "auth.keys";
    if (server !== null && rights.servers?.includes(server) === false) {
      return { rule, refuses: "servers of the caller does not have it" };
    }
    return { rule, policy: callerPolicy(rights) };
  };
}

/** A policy that is off stays off. */
function asStrict(policy: PolicySettings | undefined): PolicySettings | undefined {
  return policy === undefined || policy.mode === "off" ? policy : { ...policy, mode: "strict" };
}
