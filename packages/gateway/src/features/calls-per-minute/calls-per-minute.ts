import {
  type CallGate,
  LEVEL_OWNER_TEXTS,
  type Limit,
  type LimitedCall,
  type LimitOfLevel,
  type OverLimit,
} from "../limit.ts";

const COUNTED = { ...LEVEL_OWNER_TEXTS, top: "through this gateway" };

/** `limits.calls_per_minute`: how many calls of a level may be sent in any minute. */
export const callsPerMinute = {
  name: "calls_per_minute",
  schema: { type: "integer", minimum: 1, maximum: 100_000 },
  descriptions: {
    top: "Tool calls in any minute through the gateway",
    level: "Calls of this server, tool or caller in any minute",
  },
  text: (value) => `${value} calls per minute`,
  makeGate: (): CallGate => new CallRates(),
} as const satisfies Limit;

const MINUTE_MS = 60_000;

/**
 * The calls of the last minute, at most as many as the limit. The next call is allowed once the oldest call is a
 * minute old. Takes 8 bytes per call of the limit.
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

/**
 * Counts calls in memory, for one gateway. There is one counter for the top level, and one for each server, tool and
 * caller with a limit. Their number depends on the configuration only, not on names that clients send.
 */
class CallRates implements CallGate {
  readonly #rates: Map<string, CallRate> = new Map();

  over(limits: readonly LimitOfLevel[], call: LimitedCall): OverLimit | undefined {
    let longest: OverLimit | undefined;
    for (const limit of limits) {
      const retryAfter = Math.ceil(this.#rate(limit, call).wait(call.now) / 1000);
      if (retryAfter <= (longest?.retryAfter ?? 0)) continue;
      const message = `the limit of ${limit.value} calls per minute ${COUNTED[limit.level]} is reached (limits.calls_per_minute); try again in ${retryAfter} s`;
      longest = { message, retryAfter };
    }
    return longest;
  }

  count(limits: readonly LimitOfLevel[], call: LimitedCall): void {
    for (const limit of limits) this.#rate(limit, call).count(call.now);
  }

  /** Returns the counter of a limit. It starts at 0 when its setting changes. */
  #rate(limit: LimitOfLevel, call: LimitedCall): CallRate {
    const key = JSON.stringify([limit.level, ...namesOf(limit, call)]);
    const known = this.#rates.get(key);
    if (known?.limit === limit.value) return known;
    const made = new CallRate(limit.value);
    this.#rates.set(key, made);
    return made;
  }
}

function namesOf(
  { level, tool }: LimitOfLevel,
  { server, caller }: LimitedCall,
): readonly (string | undefined)[] {
  switch (level) {
    case "top":
      return [];
    case "server":
      return [server];
    case "caller":
      return [caller];
    case "tool":
      return [server, tool];
  }
}
