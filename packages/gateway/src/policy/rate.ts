import type { Caller } from "./caller.ts";

/** The `limits` about calls of one level, and what it counts. */
export interface CallLimit {
  readonly level: "top" | "server" | "tool" | "caller";
  readonly callsPerMinute: number;
}

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
  /** Counts only if it has a limit of its own. */
  readonly tool: string | undefined;
  /** Counts only if its key has a limit. */
  readonly caller: string | undefined;
}

/** Returns the limits of a call by this caller; undefined if there are none. */
export function limitsFor(
  configured: readonly CallLimit[] | undefined,
  caller: Caller | undefined,
): readonly CallLimit[] | undefined {
  const { callsPerMinute } = caller ?? {};
  if (callsPerMinute === undefined) return configured;
  return [...(configured ?? []), { level: "caller", callsPerMinute }];
}

/**
 * Counts calls in memory, for one gateway. There is one counter for the top level, and one for each server, tool and
 * caller with a limit. Their number depends on the configuration only, not on names that clients send.
 */
export class CallRates {
  readonly #rates: Map<string, CallRate> = new Map();

  /** Counts a call, unless a limit is reached. The count starts at 0 when its setting changes. */
  take(limits: readonly CallLimit[], counted: Counted, now: number): OverRate | undefined {
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

  #rate({ level, callsPerMinute }: CallLimit, { server, tool, caller }: Counted): CallRate {
    const names = { top: [], server: [server], tool: [server, tool], caller: [caller] }[level];
    const key = JSON.stringify([level, ...names]);
    const known = this.#rates.get(key);
    if (known?.limit === callsPerMinute) return known;
    const made = new CallRate(callsPerMinute);
    this.#rates.set(key, made);
    return made;
  }
}
