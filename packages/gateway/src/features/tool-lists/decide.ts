import { foldText, tooLongToFold } from "@touchstone/core/advanced";
import type { Caller, CallerPolicy } from "../caller.ts";
import type { Decision, Mode } from "../decision.ts";
import type { PolicySettings } from "../policy/policy.ts";
import type { ToolRules } from "./tool-rules.ts";

/*
 * Which tools may be called: `allow_tools`, `deny_tools` and `read_only` of every level, as pure functions. Every
 * interface calls `decideTool`. A tool must be allowed at every level, a deny at any level wins, and `read_only` at
 * any level applies; `unless_allowed` only while no `allow_tools` of the file names the tools.
 */

/** What is known of a tool that is listed or called. */
export interface NamedTool {
  /** Undefined if it has no readable name. */
  readonly name: string | undefined;
  /** Whether it declares `readOnlyHint: true`; undefined if unknown. */
  readonly isReadOnly: boolean | undefined;
}

/** The setting that refuses a tool: `keyword` of the issue. */
export type RefusingSetting = "allow_tools" | "deny_tools" | "read_only";

/** The policy's decision about a tool. */
export interface ToolDecision {
  readonly decision: Extract<Decision, "allowed" | "warning" | "blocked">;
  /** The mode that decided. */
  readonly mode: Mode;
  /** The setting that refuses the tool; absent if none does. */
  readonly keyword?: RefusingSetting;
  /** The setting and the reason, as a clause for records and logs; empty if no setting refuses the tool. */
  readonly reason: string;
}

const ALLOWED: ToolDecision = { decision: "allowed", mode: "off", reason: "" };

/**
 * Decides whether a tool may be listed and called. Pure: equal settings and tools give equal decisions. If several
 * levels refuse, the first that blocks counts, else the first.
 * @param policy undefined if no policy is configured, which allows everything
 */
export function decideTool(policy: PolicySettings | undefined, tool: NamedTool): ToolDecision {
  let found = ALLOWED;
  for (const rules of policy?.levels ?? []) {
    const mode = modeOf(policy as PolicySettings, rules);
    if (mode === "off") continue;
    const refused = refusal(rules, tool, wantsReadOnly(policy, rules));
    if (refused === undefined) continue;
    const decision = mode === "strict" ? "blocked" : "warning";
    if (found.decision === "allowed" || decision === "blocked") {
      found = { decision, mode, ...refused };
    }
    if (decision === "blocked") break;
  }
  return found;
}

/** Returns whether any level refuses tools, so that lists and calls must be checked. */
export function refusesTools(policy: PolicySettings | undefined): boolean {
  return (
    policy?.levels.some(
      (rules) =>
        modeOf(policy, rules) !== "off" &&
        (rules.allowTools !== undefined ||
          (rules.denyTools ?? []).length > 0 ||
          wantsReadOnly(policy, rules)),
    ) === true
  );
}

/** Returns whether any level blocks. If so, calls that cannot be decided about must not be sent. */
export function blocksTools(policy: PolicySettings | undefined): boolean {
  return (
    refusesTools(policy) &&
    policy?.levels.some((rules) => modeOf(policy, rules) === "strict") === true
  );
}

/** Returns whether a decision depends on the tool's declaration, not only on its name. */
export function dependsOnToolHints(policy: PolicySettings | undefined): boolean {
  return (
    policy?.levels.some(
      (rules) => wantsReadOnly(policy, rules) && modeOf(policy, rules) !== "off",
    ) === true
  );
}

/** A list of the caller's own does not count: it only narrows what the file allows. */
function wantsReadOnly(policy: PolicySettings | undefined, { readOnly }: ToolRules): boolean {
  if (readOnly !== "unless_allowed") return readOnly === true;
  return !policy?.levels.some(
    ({ level, allowTools }) => level !== "caller" && allowTools !== undefined,
  );
}

/** Returns the policy merged with the caller's rules, which can only narrow the configuration. */
export function withCallerRules(
  policy: PolicySettings | undefined,
  rules: CallerPolicy,
): PolicySettings {
  const { mode = "strict", levels = [] } = policy ?? {};
  return { ...policy, mode, levels: [...levels, { ...rules, level: "caller" }] };
}

const NOTHING_SET: object = {};
const ofCallers: WeakMap<object, WeakMap<CallerPolicy, PolicySettings>> = new WeakMap();

/**
 * Returns the policy for a caller: {@link withCallerRules}, cached by settings and caller.
 * @returns undefined if no policy is configured
 */
export function policyFor(
  { policy }: { readonly policy?: PolicySettings },
  caller: Pick<Caller, "policy"> | undefined,
): PolicySettings | undefined {
  const rules = caller?.policy;
  if (rules === undefined) return policy;
  const key = policy ?? NOTHING_SET;
  const made = ofCallers.get(key) ?? new WeakMap<CallerPolicy, PolicySettings>();
  ofCallers.set(key, made);
  const known = made.get(rules) ?? withCallerRules(policy, rules);
  made.set(rules, known);
  return known;
}

/** A pattern that matches no tool's name. */
export interface UnmatchedPattern {
  readonly level: ToolRules["level"];
  readonly setting: "allow_tools" | "deny_tools";
  readonly pattern: string;
}

/** Returns the patterns of a policy that match none of these names. Each may be a typing error. */
export function unmatchedPatterns(
  policy: PolicySettings | undefined,
  names: readonly string[],
): readonly UnmatchedPattern[] {
  const compared = names.flatMap((name) => foldText(name, "name") ?? []);
  return (policy?.levels ?? []).flatMap(({ level, allowTools = [], denyTools = [] }) => [
    ...allowTools
      .filter((pattern) => !matchesAny(pattern, names, false))
      .map((pattern) => ({ level, setting: "allow_tools", pattern }) as const),
    ...denyTools
      .filter((pattern) => !matchesAny(pattern, compared, true))
      .map((pattern) => ({ level, setting: "deny_tools", pattern }) as const),
  ]);
}

function matchesAny(pattern: string, names: readonly string[], isFolded: boolean): boolean {
  const patterns = new ToolPatterns([pattern]);
  return names.some((name) => patterns.match(name, isFolded) !== undefined);
}

/** A caller's permissions are authorization: no mode weakens them. */
function modeOf({ mode }: PolicySettings, { level }: ToolRules): Mode {
  return level === "caller" ? "strict" : mode;
}

const PLACES: Readonly<Record<ToolRules["level"], string>> = {
  top: "at the top level",
  server: "of the server",
  caller: "of the caller",
};

function refusal(
  rules: ToolRules,
  { name, isReadOnly }: NamedTool,
  readOnly: boolean,
): Pick<ToolDecision, "keyword" | "reason"> | undefined {
  const { allowTools, denyTools, level } = rules;
  const at = PLACES[level];
  if (name === undefined) {
    if (allowTools === undefined && !denyTools?.length && !readOnly) return undefined;
    const keyword =
      allowTools !== undefined ? "allow_tools" : denyTools?.length ? "deny_tools" : "read_only";
    return { keyword, reason: `${keyword} ${at} is set, and the tool has no readable name` };
  }
  const { allow, deny } = compiled(rules);
  if (allow !== undefined || denyTools?.length) {
    const compared = foldText(name, "name");
    if (compared === undefined) {
      const keyword = denyTools?.length ? "deny_tools" : "allow_tools";
      return { keyword, reason: `${keyword} ${at} is set, and the name ${tooLongToFold(name)}` };
    }
    const denied = deny && (deny.match(name) ?? deny.match(compared, true));
    if (denied !== undefined) {
      return { keyword: "deny_tools", reason: `deny_tools ${at} has ${JSON.stringify(denied)}` };
    }
  }
  if (allow !== undefined && allow.match(name) === undefined) {
    return { keyword: "allow_tools", reason: `allow_tools ${at} does not have it` };
  }
  if (!readOnly || isReadOnly === true) return undefined;
  const why =
    isReadOnly === undefined
      ? "it is unknown whether the tool declares readOnlyHint: true"
      : "the tool does not declare readOnlyHint: true";
  const set = rules.readOnly === true ? "true" : `"unless_allowed", no allow_tools is set`;
  return { keyword: "read_only", reason: `read_only ${at} is ${set}, and ${why}` };
}

interface Compiled {
  readonly allow: ToolPatterns | undefined;
  readonly deny: ToolPatterns | undefined;
}

/** Cached, because every call needs it. */
const known: WeakMap<ToolRules, Compiled> = new WeakMap();

function compiled(rules: ToolRules): Compiled {
  const before = known.get(rules);
  if (before !== undefined) return before;
  const { allowTools, denyTools } = rules;
  const made = {
    allow: allowTools && new ToolPatterns(allowTools),
    deny: denyTools && new ToolPatterns(denyTools),
  };
  known.set(rules, made);
  return made;
}

/**
 * Names and globs of tools. In a glob, `*` matches any number of characters, and `?` matches one. No other character
 * is special. A match takes at most as many steps as the product of the lengths of pattern and name.
 */
export class ToolPatterns {
  readonly #names: ReadonlyMap<string, string>;
  readonly #foldedNames: ReadonlyMap<string, string>;
  readonly #globs: readonly Glob[];

  constructor(patterns: readonly string[]) {
    const isGlob = (pattern: string): boolean => /[*?]/.test(pattern);
    const names = patterns.filter((pattern) => !isGlob(pattern));
    this.#names = new Map(names.map((name) => [name, name]));
    this.#foldedNames = new Map(names.map((name) => [foldText(name, "name") ?? name, name]));
    this.#globs = patterns.filter(isGlob).map((written) => ({
      written,
      exact: [...written],
      folded: [...(foldText(written, "name") ?? written)],
    }));
  }

  /**
   * Returns the first pattern that matches a name, names before globs; undefined if none does.
   * @param name of at most `MAX_FOLDED` characters
   * @param isFolded whether the name was folded; the patterns are then compared in folded form, too
   */
  match(name: string, isFolded = false): string | undefined {
    const named = (isFolded ? this.#foldedNames : this.#names).get(name);
    if (named !== undefined || this.#globs.length === 0) return named;
    const characters = [...name];
    return this.#globs.find((glob) => matches(isFolded ? glob.folded : glob.exact, characters))
      ?.written;
  }
}

interface Glob {
  readonly written: string;
  readonly exact: readonly string[];
  readonly folded: readonly string[];
}

/** It is enough to go back to the last `*`, and the cost is at most the product of both lengths. */
function matches(glob: readonly string[], name: readonly string[]): boolean {
  let at = 0;
  let read = 0;
  let star = -1;
  let mark = 0;
  while (read < name.length) {
    const sign = glob[at];
    if (sign === "*") {
      star = at;
      mark = read;
      at += 1;
    } else if (sign !== undefined && (sign === "?" || sign === name[read])) {
      at += 1;
      read += 1;
    } else if (star >= 0) {
      at = star + 1;
      mark += 1;
      read = mark;
    } else {
      return false;
    }
  }
  while (glob[at] === "*") at += 1;
  return at === glob.length;
}
