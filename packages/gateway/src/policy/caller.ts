import type { CallLimits, LevelLimits } from "../features/limits.ts";

/**
 * What a caller's key or token allows: one level of the tool policy, merged with those of the top level and the
 * server.
 */
export interface CallerPolicy {
  /** Names and patterns of the tools that the caller may use; absent if it may use all. */
  readonly allowTools?: readonly string[];
  /** Whether the caller may only use tools that declare `readOnlyHint: true`. */
  readonly readOnly?: boolean;
}

/** Returns the policy of a key or token that allows these tools. */
export function callerPolicy({
  tools: allowTools,
  readOnly,
}: {
  readonly tools?: readonly string[] | undefined;
  readonly readOnly?: boolean | undefined;
}): CallerPolicy {
  return {
    ...(allowTools === undefined ? {} : { allowTools }),
    ...(readOnly === undefined ? {} : { readOnly }),
  };
}

/** The caller, as the gateway identified it. */
export interface Caller {
  /** The caller's name in records, metrics and spans; never its key or token. */
  readonly name: string;
  /** Restrictions from the key or token; absent if there are none. */
  readonly policy?: CallerPolicy;
  /** Limits of its calls, in addition to those of the gateway, the server and the tool; absent if there are none. */
  readonly limits?: CallLimits;
}

/**
 * Returns the limits of calls by this caller: those of levels that are configured for all tools, and its own. Those of
 * single tools are left out.
 */
export function limitsFor(
  { limits = [] }: { readonly limits?: readonly LevelLimits[] },
  caller: Caller | undefined,
): readonly LevelLimits[] {
  const shared = limits.filter(({ level }) => level !== "tool");
  return caller?.limits === undefined ? shared : [...shared, { level: "caller", ...caller.limits }];
}
