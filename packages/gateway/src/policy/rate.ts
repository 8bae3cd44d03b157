import type { Caller } from "./caller.ts";

/** The `limits` about calls of one level, and what it counts. */
export interface CallLimit {
  readonly level: "top" | "server" | "tool" | "caller";
  readonly callsPerMinute: number;
}

/** The limit of one tool. */
export interface ToolLimit extends CallLimit {
  readonly level: "tool";
  readonly tool: string;
}

/** A limit to count a call for. */
export type CountedLimit =
  | (CallLimit & { readonly level: "top" | "server" | "caller" })
  | ToolLimit;

const MINUTE_MS = 60_000;

/**
 * The calls of the last minute, at most as many as the limit. The next call is allowed when the oldest is a minute
 * old. Takes 8 bytes per call of the limit.
 */
class CallRate {
  readonly limit: number;
  readonly #times: Float64Array;
  #next = 0;

  constructor(limit: number) {
    this.limit = limit;
    this.#times = new Float64Array(limit).fill(Number.NEGATIVE_INFINITY);
  }

  /** Returns how long a call must wait, in milliseconds; 0 if it need not. */
  wait(now: number): number {
    return Math.max(0, (this.#times[this.#next] as number) + MINUTE_MS - now);
  }

  count(now: number): void {
    this.#times[this.#next] = now;
    this.#next = (this.#next + 1) % this.limit;
  }
}

/** Why a call is over its limits. */
export interface OverRate extends CallLimit {
  /** Seconds until the next call is allowed, rounded up. */
  readonly retryAfter: number;
}

/** Whose limits a call is counted for. */
export interface Counted {
  readonly server: string;
  /** Counts only if its key has a limit. */
  readonly caller: string | undefined;
}

/**
 * Returns the limits of calls by this caller, without those of single tools.
 * @param configured the limits of the server
 */
export function limitsFor(
  configured: readonly CallLimit[] | undefined,
  caller: Caller | undefined,
): readonly CountedLimit[] {
  const shared = (configured ?? []).flatMap(({ level, callsPerMinute }) =>
    level === "tool" ? [] : [{ level, callsPerMinute }],
  );
  const { callsPerMinute } = caller ?? {};
  return callsPerMinute === undefined ? shared : [...shared, { level: "caller", callsPerMinute }];
}

/**
 * Counts calls in memory, for one gateway. There is one counter for the top level, and one for each server, tool and
 * caller with a limit. Their number depends on the configuration only, not on names that clients send.
 */
export class CallRates {
  readonly #rates: Map<string, CallRate> = new Map();

  /** Counts a call, unless a limit is reached. The count starts at 0 when its setting changes. */
  take(limits: readonly CountedLimit[], counted: Counted, now: number): OverRate | undefined {
    const rates = limits.map((limit) => ({ limit, rate: this.#rate(limit, counted) }));
    let longest: OverRate | undefined;
    for (const { limit, rate } of rates) {
      const retryAfter = Math.ceil(rate.wait(now) / 1000);
      if (retryAfter > (longest?.retryAfter ?? 0)) longest = { ...limit, retryAfter };
    }
    // A rejected call does not count.
    if (longest === undefined) for (const { rate } of rates) rate.count(now);
    return longest;
  }

  #rate(limit: CountedLimit, { server, caller }: Counted): CallRate {
    const { level, callsPerMinute } = limit;
    const key = JSON.stringify([level, ...namesOf(limit, server, caller)]);
    const known = this.#rates.get(key);
    if (known?.limit === callsPerMinute) return known;
    const made = new CallRate(callsPerMinute);
    this.#rates.set(key, made);
    return made;
  }
}

function namesOf(
  limit: CountedLimit,
  server: string,
  caller: string | undefined,
): readonly (string | undefined)[] {
  switch (limit.level) {
    case "top":
      return [];
    case "server":
      return [server];
    case "caller":
      return [caller];
    case "tool":
      return [server, limit.tool];
  }
}
