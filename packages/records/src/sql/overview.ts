import { type RawBuilder, type SqlBool, sql } from "kysely";
import type { FailingTool, Overview, OverviewBucket } from "../response-schemas.ts";
import type { Exemptions } from "../rollout/exemption.ts";
import { queryBuilder } from "./builder.ts";
import { bucketPrefixLength, bucketStart, timedCalls } from "./call-counts.ts";
import { withScope, withTimeRange } from "./conditions.ts";
import { hourlyCounts, sumRecordsIf } from "./counts.ts";
import type { ReadDatabase, RunQuery } from "./database.ts";
import { type Durations, percentilesOf } from "./durations.ts";
import { planIndexScan } from "./index-scan.ts";
import { isInScan } from "./pages.ts";
import { blockedInStrict, withoutExemptPlaces } from "./rollout.ts";
import { largestSkew } from "./totals.ts";

const MOST_FAILING = 10;
const MOST_CHANGES = 20;

/** Returns statistics about calls over time, and what needs attention. */
export async function overviewOf(
  db: ReadDatabase,
  run: RunQuery,
  {
    since,
    until,
    buckets: most,
    excuses,
  }: {
    readonly since: Date;
    readonly until: Date;
    readonly buckets: number;
    readonly excuses: Exemptions;
  },
): Promise<Overview> {
  const scope = { since, until };
  const skew = await largestSkew(db, run);
  const counting = { buckets: most, now: until, skew } as const;
  const { histogram, durations } = await timedCalls(db, run, scope, {
    ...counting,
    durations: true,
  });
  // A repaired call has the status of its response: only the record of the decision shows the repair.
  const decisions = await timedCalls(db, run, scope, {
    ...counting,
    durations: false,
    type: "policy_decision",
  });
  const time = { since: new Date(histogram.since), until };
  const step = histogram.bucket_ms;
  const blocking = await wouldBlockIn(db, run, time, { skew, excuses, step });
  const would = histogram.buckets.map(() => 0);
  const repaired = histogram.buckets.map(() => 0);
  const add = (counts: number[], at: string, count: number): void => {
    const index = Math.floor((Date.parse(at) - time.since.getTime()) / step);
    const known = Math.max(0, index);
    counts[known] = (counts[known] ?? 0) + count;
  };
  for (const { slot, calls } of blocking) add(would, bucketStart(slot), calls);
  for (const bucket of decisions.histogram.buckets) add(repaired, bucket.time, bucket.repaired);
  const buckets = histogram.buckets.map(
    (bucket, at): OverviewBucket => ({
      time: bucket.time,
      calls: bucket.calls,
      blocked: bucket.blocked,
      would_block: would[at] ?? 0,
      repaired: repaired[at] ?? 0,
      errors: bucket.error,
      denied: bucket.denied,
      held: bucket.held,
      out_of_bounds: bucket.out_of_bounds,
      limited: bucket.limited + bucket.rejected,
      ...percentilesOf(durations[at] ?? new Map()),
    }),
  );
  return {
    since: histogram.since,
    until: histogram.until,
    bucket_ms: histogram.bucket_ms,
    buckets,
    totals: totalsOf(buckets, durations),
    failing_tools: await failingToolsIn(db, run, time, skew),
    schema_changes: await changesIn(db, run, time, skew),
    counted_from: histogram.counted_from,
  };
}

function totalsOf(
  buckets: readonly OverviewBucket[],
  durations: readonly Durations[],
): Overview["totals"] {
  const all: Durations = new Map();
  for (const of of durations) {
    for (const [bucket, count] of of) all.set(bucket, (all.get(bucket) ?? 0) + count);
  }
  const sum = (read: (bucket: OverviewBucket) => number): number =>
    buckets.reduce((total, bucket) => total + read(bucket), 0);
  const calls = sum((bucket) => bucket.calls);
  const errors = sum((bucket) => bucket.errors);
  return {
    calls,
    blocked: sum((bucket) => bucket.blocked),
    would_block: sum((bucket) => bucket.would_block),
    repaired: sum((bucket) => bucket.repaired),
    errors,
    denied: sum((bucket) => bucket.denied),
    held: sum((bucket) => bucket.held),
    out_of_bounds: sum((bucket) => bucket.out_of_bounds),
    limited: sum((bucket) => bucket.limited),
    error_rate: calls === 0 ? 0 : errors / calls,
    ...percentilesOf(all),
  };
}

interface Stretch {
  readonly since: Date;
  readonly until: Date;
}

interface Warned {
  /** The beginning of a time text, which identifies the interval. */
  readonly slot: string;
  readonly calls: number;
}

/** Counts the calls that strict would have blocked, each once, at the time of its first warning. */
async function wouldBlockIn(
  { dialect }: ReadDatabase,
  run: RunQuery,
  time: Stretch,
  {
    skew,
    excuses,
    step,
  }: { readonly skew: number; readonly excuses: Exemptions; readonly step: number },
): Promise<readonly Warned[]> {
  const all = withScope(blockedInStrict(dialect, excuses), time, dialect);
  const scope = { ...time, types: ["policy_decision"], decisions: ["warning"] } as const;
  const route = dialect === "sqlite" ? await planIndexScan(run, scope, skew) : undefined;
  const open =
    route === undefined
      ? withTimeRange(all, time, skew)
      : all.where(isInScan(route) as RawBuilder<SqlBool>);
  const found = await withoutExemptPlaces(dialect, run, open, excuses);
  const each = found
    .where("tool", "is not", null)
    .select((of) => of.fn.min<string>("time").as("first"))
    .groupBy(["request_id", "server", "tool"]);
  const slot = sql`substr(first, 1, ${sql.lit(bucketPrefixLength(step))})`;
  return run(
    sql<Warned>`SELECT ${slot} AS slot, count(*) AS calls FROM (${each}) warned
      GROUP BY ${slot}`.compile(queryBuilder(dialect)),
  );
}

/** Returns the tools of which the most calls failed or were refused. */
async function failingToolsIn(
  db: ReadDatabase,
  run: RunQuery,
  time: Stretch,
  skew: number,
): Promise<readonly FailingTool[]> {
  const calls = await hourlyCounts(db, run, { ...time, types: ["tool_call"] }, skew);
  const part = (...statuses: readonly string[]) =>
    sumRecordsIf(sql`status IN (${sql.join(statuses)})`);
  const failed = part("error", "denied", "held", "out_of_bounds", "limited", "rejected");
  return run(
    sql<FailingTool>`SELECT server, tool, sum(records) AS calls, ${part("error")} AS errors,
        ${part("denied")} AS denied, ${part("held")} AS held,
        ${part("out_of_bounds")} AS out_of_bounds, ${part("limited", "rejected")} AS limited
      FROM ${calls} WHERE tool IS NOT NULL GROUP BY server, tool
      HAVING ${failed} > 0 ORDER BY ${failed} DESC, calls DESC, server, tool
      LIMIT ${sql.lit(MOST_FAILING)}`.compile(queryBuilder(db.dialect)),
  );
}

/** Returns the latest schema changes. */
async function changesIn(
  { dialect }: ReadDatabase,
  run: RunQuery,
  time: Stretch,
  skew: number,
): Promise<Overview["schema_changes"]> {
  const all = queryBuilder(dialect).selectFrom("activity").where("type", "=", "schema_change");
  return run(
    withTimeRange(withScope(all, time, dialect), time, skew)
      .select(["id", "time", "server", "tool", "reason"])
      .orderBy("id", "desc")
      .limit(MOST_CHANGES)
      .compile(),
  );
}
