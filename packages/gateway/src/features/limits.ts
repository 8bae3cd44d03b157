import { type CamelCase, camelCase } from "@touchstone/util/schema";
import type { CallGate, Limit, LimitedCall, LimitLevel, LimitOfLevel, OverLimit } from "./limit.ts";
import { LIMITS } from "./list.ts";

type Each = (typeof LIMITS)[number];
type Properties = {
  readonly [L in Each as L["name"]]: L["schema"] & { readonly description: string };
};

/** The limits of one level; what is absent is not limited. */
export type CallLimits = { readonly [L in Each as CamelCase<L["name"]>]?: number | undefined };
/** The limits as the file has them. */
type Written = { readonly [L in Each as L["name"]]?: number | undefined };
/** The limits of one level, with the level. */
export interface LevelLimits extends CallLimits {
  readonly level: LimitLevel;
  /** The tool, of the level `tool`. */
  readonly tool?: string | undefined;
}

/** A limit with the name that the program has for it. */
interface Named {
  readonly limit: Limit;
  readonly key: keyof CallLimits;
}
const named: readonly Named[] = LIMITS.map((limit) => ({ limit, key: camelCase(limit.name) }));

/** The program's names of all limits. */
export const LIMIT_KEYS: readonly (keyof CallLimits)[] = named.map(({ key }) => key);

/** Returns the keys of `limits` for the schema of the file. */
export function limitProperties(of: "top" | "level"): Properties {
  return Object.fromEntries(
    LIMITS.map(({ name, schema, descriptions }) => [
      name,
      { ...schema, description: descriptions[of] },
    ]),
  ) as Properties;
}

/** Returns the limits that a section `limits` sets; undefined if it sets none. */
export function parseLimits(written: Written = {}): CallLimits | undefined {
  const values = written as Readonly<Record<string, number | undefined>>;
  return some(named.map(({ limit, key }) => [key, values[limit.name]]));
}

/** Returns limits as a section `limits` of the file; undefined if there are none. {@link parseLimits} reads them. */
export function limitsSection(limits: CallLimits): Written | undefined {
  return some(named.map(({ limit, key }) => [limit.name, limits[key]]));
}

/** Returns the limits of an object that has other members, too; undefined if there are none. */
export function pickLimits(limits: CallLimits): CallLimits | undefined {
  return some(named.map(({ key }) => [key, limits[key]]));
}

function some<Of extends object>(
  entries: readonly (readonly [string, number | undefined])[],
): Of | undefined {
  const set = entries.filter(([, value]) => value !== undefined);
  return set.length === 0 ? undefined : (Object.fromEntries(set) as Of);
}

/** Returns the limits of a level in words, for people. */
export function limitTexts(limits: CallLimits): readonly string[] {
  return named.flatMap(({ limit, key }) => {
    const value = limits[key];
    return value === undefined ? [] : [limit.text(value)];
  });
}

/** Returns whether one of the limits is on calls, so that calls are counted. */
export function hasCallLimit(limits: CallLimits): boolean {
  return named.some(({ limit, key }) => limit.makeGate !== undefined && limits[key] !== undefined);
}

function valuesAt(levels: readonly LevelLimits[], key: keyof CallLimits): readonly LimitOfLevel[] {
  return levels.flatMap(({ level, tool, [key]: value }) =>
    value === undefined ? [] : [{ level, tool, value }],
  );
}

/** Why a call, or its result, is over a limit. */
export interface ExceededLimit {
  /** The key of the limit. */
  readonly name: string;
  readonly message: string;
}

/** Counts the calls of one gateway for all limits on calls. */
export class CallGates {
  readonly #gates: readonly (Named & { readonly gate: CallGate })[] = named.flatMap((one) => {
    const gate = one.limit.makeGate?.();
    return gate === undefined ? [] : [{ ...one, gate }];
  });

  /**
   * Counts a call, unless it is over a limit. A call that is refused does not count.
   * @param levels the limits of every level that the call counts for
   */
  take(levels: readonly LevelLimits[], call: LimitedCall): (ExceededLimit & OverLimit) | undefined {
    const set = this.#gates.map((one) => ({ ...one, limits: valuesAt(levels, one.key) }));
    for (const { gate, limit, limits } of set) {
      const over = gate.over(limits, call);
      if (over !== undefined) return { name: limit.name, ...over };
    }
    for (const { gate, limits } of set) gate.count(limits, call);
    return undefined;
  }
}

/**
 * Returns why a result is withheld; undefined if it is not.
 * @param levels the limits of every level that applies to its call
 * @param size bytes of the result, or of the error instead of one
 */
export function exceededResultLimit(
  levels: readonly LevelLimits[],
  what: "result" | "error",
  size: number,
): ExceededLimit | undefined {
  for (const { limit, key } of named) {
    const limits = valuesAt(levels, key);
    const message = limits.length === 0 ? undefined : limit.overResult?.(limits, what, size);
    if (message !== undefined) return { name: limit.name, message };
  }
  return undefined;
}
