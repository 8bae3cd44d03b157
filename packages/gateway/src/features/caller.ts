import type { CallLimits, LevelLimits } from "./limits.ts";

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
 * Returns the limits of a caller's calls: those of the settings in force, and its own.
 * @param settings of the server, or of the called tool with its own limits
 */
export function limitsFor(
  { limits = [] }: { readonly limits?: readonly LevelLimits[] },
  caller: Caller | undefined,
): readonly LevelLimits[] {
  return caller?.limits === undefined ? limits : [...limits, { level: "caller", ...caller.limits }];
}
