import { sql } from "kysely";
import type { Excuses } from "../../policy/excuses.ts";
import { firstIdAt } from "../ids.ts";
import type { Offender, Overview, OverviewBucket, Percentiles } from "../overview.ts";
import { queryBuilder } from "./builder.ts";
import { histogramOf } from "./call-counts.ts";
import { inTime, matching, type Sql } from "./conditions.ts";
import type { ReadDatabase, RunQuery } from "./database.ts";
import { wouldBlock } from "./rollout.ts";
import { largestSkew } from "./totals.ts";

/** Calls of one stretch of time whose durations are read: those of more are known by a part of them. */
const SAMPLE = 2_000;
const MOST_OFFENDERS = 10;
const MOST_CHANGES = 20;

/** Returns how calls were doing: over time, and what to look at. */
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
    readonly excuses: Excuses;
  },
): Promise<Overview> {
  const histogram = await histogramOf(db, run, { since, until }, { buckets: most, now: until });
  const skew = await largestSkew(db, run);
  const from = new Date(histogram.since);
  const time = { since: from, until };
  const blocking = await wouldBlockIn(db, run, time, { skew, excuses });
  const buckets: OverviewBucket[] = [];
  const sampled: number[] = [];
  for (const bucket of histogram.buckets) {
    const begin = Date.parse(bucket.time);
    const durations =
      bucket.calls === 0
        ? []
        : await durationsIn(
            db,
            run,
            { since: new Date(begin), until: new Date(begin + histogram.bucket_ms) },
            skew,
          );
    for (const duration of durations) sampled.push(duration);
    const would = blocking.filter(
      ({ time: at }) => Date.parse(at) >= begin && Date.parse(at) < begin + histogram.bucket_ms,
    );
    buckets.push({
      time: bucket.time,
      calls: bucket.calls,
      blocked: bucket.blocked,
      would_block: would.length,
      repaired: bucket.repaired,
      errors: bucket.error + bucket.rejected,
      ...percentiles(durations),
    });
  }
  return {
    since: histogram.since,
    until: histogram.until,
    bucket_ms: histogram.bucket_ms,
    buckets,
    totals: totalsOf(buckets, sampled),
    offenders: await offendersIn(db, run, time, { skew, warned: blocking }),
    schema_changes: await changesIn(db, run, time, skew),
    counted_from: histogram.counted_from,
  };
}

function totalsOf(buckets: readonly OverviewBucket[], sampled: number[]): Overview["totals"] {
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
    error_rate: calls === 0 ? 0 : errors / calls,
    ...percentiles(sampled),
  };
}

function percentiles(durations: number[]): Percentiles {
  durations.sort((a, b) => a - b);
  const at = (part: number): number | null =>
    durations[Math.max(0, Math.ceil(durations.length * part) - 1)] ?? null;
  return { p50_ms: at(0.5), p95_ms: at(0.95) };
}

/** The durations of the latest calls of a stretch of time. */
async function durationsIn(
  { dialect }: ReadDatabase,
  run: RunQuery,
  time: Stretch,
  skew: number,
): Promise<number[]> {
  const way = dialect === "sqlite" ? sql.raw("INDEXED BY sqlite_autoindex_activity_1") : sql``;
  const rows = await run(
    sql<{ duration_ms: number }>`SELECT duration_ms FROM
      (SELECT type, duration_ms FROM activity ${way} WHERE ${within(time, skew)}
        ORDER BY id DESC LIMIT ${sql.lit(2 * SAMPLE)}) latest
      WHERE type = 'tool_call' AND duration_ms IS NOT NULL LIMIT ${sql.lit(SAMPLE)}`.compile(
      queryBuilder(dialect),
    ),
  );
  return rows.map(({ duration_ms }) => duration_ms);
}

interface Stretch {
  readonly since: Date;
  readonly until: Date;
}

/** That a record is of a stretch of time. */
function within({ since, until }: Stretch, skew: number): Sql {
  return sql`id >= ${firstIdAt(since.getTime())} AND id < ${firstIdAt(until.getTime() + skew)}
    AND time >= ${since.toISOString()} AND time < ${until.toISOString()}`;
}

interface Warned {
  readonly time: string;
  readonly server: string | null;
  readonly tool: string | null;
}

/** The calls that strict would have blocked, each once. */
function wouldBlockIn(
  db: ReadDatabase,
  run: RunQuery,
  time: Stretch,
  { skew, excuses }: { readonly skew: number; readonly excuses: Excuses },
): Promise<readonly Warned[]> {
  const all = wouldBlock(db.dialect, excuses).where("tool", "is not", null);
  return run(
    inTime(matching(all, time, db.dialect), time, skew)
      .select(["server", "tool"])
      .select((of) => of.fn.min<string>("time").as("time"))
      .groupBy(["request_id", "server", "tool"])
      .limit(MOST_WARNED)
      .compile(),
  );
}

const MOST_WARNED = 50_000;

/** The tools whose calls were blocked, or would have been, the most. */
async function offendersIn(
  { dialect }: ReadDatabase,
  run: RunQuery,
  time: Stretch,
  { skew, warned }: { readonly skew: number; readonly warned: readonly Warned[] },
): Promise<readonly Offender[]> {
  const [first, last] = [time.since, time.until].map((moment) => moment.toISOString().slice(0, 13));
  const hours = sql`hour >= ${first} AND hour <= ${last}`;
  const [table, records, place] =
    dialect === "sqlite"
      ? [sql`tally`, sql`sum(records)`, hours]
      : [sql`activity`, sql`count(*)`, within(time, skew)];
  type Row = Omit<Offender, "would_block">;
  const part = (statuses: readonly string[]) =>
    dialect === "sqlite"
      ? sql`sum(CASE WHEN status IN (${sql.join(statuses)}) THEN records ELSE 0 END)`
      : sql`count(CASE WHEN status IN (${sql.join(statuses)}) THEN 1 END)`;
  const rows = await run(
    sql<Row>`SELECT nullif(server, '') AS server, nullif(tool, '') AS tool, ${records} AS calls,
        ${part(["blocked"])} AS blocked, ${part(["error", "rejected"])} AS errors
      FROM ${table} WHERE ${place} AND type = 'tool_call' AND tool <> ''
      GROUP BY server, tool`.compile(queryBuilder(dialect)),
  );
  const would = new Map<string, number>();
  const key = ({ server, tool }: Pick<Warned, "server" | "tool">): string =>
    JSON.stringify([server, tool]);
  for (const one of warned) would.set(key(one), (would.get(key(one)) ?? 0) + 1);
  const weight = ({ blocked, would_block, errors }: Offender): number =>
    (blocked + would_block) * 1_000 + errors;
  return rows
    .map((row) => ({ ...row, would_block: would.get(key(row)) ?? 0 }))
    .filter((row) => weight(row) > 0)
    .toSorted((a, b) => weight(b) - weight(a) || (key(a) < key(b) ? -1 : 1))
    .slice(0, MOST_OFFENDERS);
}

/** The latest changes of schemas. */
async function changesIn(
  { dialect }: ReadDatabase,
  run: RunQuery,
  time: Stretch,
  skew: number,
): Promise<Overview["schema_changes"]> {
  const all = queryBuilder(dialect).selectFrom("activity").where("type", "=", "schema_change");
  return run(
    inTime(matching(all, time, dialect), time, skew)
      .select(["id", "time", "server", "tool", "reason"])
      .orderBy("id", "desc")
      .limit(MOST_CHANGES)
      .compile(),
  );
}
