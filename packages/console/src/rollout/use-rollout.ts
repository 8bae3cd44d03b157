import type { Rollout } from "@touchstone/gateway/api";
import { useCallback } from "react";
import type { GatewayApi } from "../api/gateway.ts";
import { type Loaded, useLoaded } from "../page/use-loaded.ts";
import type { TimeRange } from "../time/range.ts";
import { bucketsOf, ROLLOUT_RANGE, type TimeBucket } from "./buckets.ts";

/** Maximum number of concurrent requests. */
const AT_ONCE = 4;

/** What the page shows. */
export interface RolloutScope {
  /** The range, as the address has it. */
  readonly range: TimeRange;
  readonly server: string;
  readonly tool: string;
}

export interface RolloutOverTime {
  readonly since: Date;
  readonly whole: Rollout;
  readonly buckets: readonly TimeBucket[];
  /** The figures of each time step. */
  readonly parts: readonly Rollout[];
}

/** Calls `work` for each item, a few at a time. */
async function mapSome<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const run = async (): Promise<void> => {
    for (let index = next++; index < items.length; index = next++) {
      const item = items[index];
      if (item !== undefined) results[index] = await work(item);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, run));
  return results;
}

/** Returns what strict would have blocked, in total and for each time step. */
export function useRollout(
  api: GatewayApi,
  { range: { since: from, until: to }, server, tool }: RolloutScope,
): readonly [Loaded<RolloutOverTime>, reload: () => void] {
  const load = useCallback(
    async (signal: AbortSignal): Promise<RolloutOverTime> => {
      const range = from === "" && to === "" ? ROLLOUT_RANGE : { since: from, until: to };
      const buckets = bucketsOf(range, new Date());
      const since = buckets[0]?.since ?? new Date();
      const ask = (begin: Date, until: Date, more: Record<string, string>) => {
        const span = { since: begin.toISOString(), until: until.toISOString() };
        return api.get("getRollout", { server, tool, ...span, ...more }, signal);
      };
      const until = buckets.at(-1)?.until ?? new Date();
      const [whole, parts] = await Promise.all([
        ask(since, until, { suggest: "true" }),
        mapSome(buckets, (bucket) => ask(bucket.since, bucket.until, { tools: "false" })),
      ]);
      return { since, whole, buckets, parts };
    },
    [api, from, to, server, tool],
  );
  return useLoaded(load);
}
