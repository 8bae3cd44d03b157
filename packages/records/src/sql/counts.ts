import { sql } from "kysely";
import { isRecordId } from "../cursor.ts";
import type { ActivityScope } from "../filter.ts";
import { idTime } from "../ids.ts";
import { queryBuilder } from "./builder.ts";
import {
  fieldConditions,
  idTimeConditions,
  inColumns,
  hasTalliedColumns as isRolled,
  recordConditions,
  type Sql,
} from "./conditions.ts";
import type { ReadDatabase, RunQuery } from "./database.ts";
import { DURATION } from "./durations.ts";
import { ceilHour, floorHour, HOUR_MS, hourOf } from "./hours.ts";
import { andConditions } from "./index-scan.ts";
import { LAST_REMOVED_ID_SQL, ROLLUP_COLUMNS, UNROLLED_CHAINS_SQL } from "./rollup.ts";
import { byIds } from "./way.ts";

/** If more records are not rolled up yet, the rollup is not used. */
const MOST_WAITING = 50_000;

const NAMES = sql.raw(ROLLUP_COLUMNS.join(", "));

/**
 * Returns a table for a query to sum up: the records in a scope, counted by hour and by {@link ROLLUP_COLUMNS}, with
 * the sum of their durations and the texts of these (`durations.ts`). Its sums are exact, whatever part of the
 * records is rolled up:
 *
 * - whole hours come from the rollup, except those from which retention may have removed records;
 * - records of these hours that are not rolled up yet are counted one by one,
 * - and so are those of partial hours, and all records if the scope has a condition on other columns, or many records
 *   are not rolled up yet.
 */
export async function hourlyCounts(
  { dialect }: ReadDatabase,
  run: RunQuery,
  scope: ActivityScope,
  skewMs: number,
): Promise<Sql> {
  const one = sql`SELECT substr(time, 1, 13) AS hour, ${NAMES}, 1 AS records, duration_ms,
    ${sql.raw(DURATION)} AS durations`;
  const isSqlite = dialect === "sqlite";
  const byId = byIds(dialect);
  const records = (part: ActivityScope, way: Sql): Sql =>
    sql`${one} FROM activity ${way} ${where([
      ...recordConditions(dialect, part),
      ...idTimeConditions(part, skewMs),
    ])}`;
  const { since, until } = scope;
  const isBounded = since !== undefined || until !== undefined;
  const all = sql`(${records(scope, isBounded && isRolled(scope) ? byId : sql``)}) counted`;
  if (!isRolled(scope)) return all;
  const whole = await wholeHours(dialect, run, scope);
  if (whole === undefined) return all;
  const { from, to, waiting } = whole;
  const named = ROLLUP_COLUMNS.map((name) => sql.raw(`nullif(${name}, '') AS ${name}`));
  const inHours = [
    ...(from === undefined ? [] : [sql`hour >= ${hourOf(from)}`]),
    ...(to === undefined ? [] : [sql`hour < ${hourOf(to)}`]),
    ...inColumns(fieldConditions(scope)),
  ];
  const parts = [
    sql`SELECT hour, ${sql.join(named)}, records, duration_ms, durations FROM rollup ${where(inHours)}`,
  ];
  if (waiting > 0) {
    const byChain = isSqlite ? sql.raw("INDEXED BY activity_chain") : sql``;
    parts.push(
      sql`${one} FROM (${sql.raw(UNROLLED_CHAINS_SQL)}) u CROSS JOIN activity ${byChain} ${where([
        sql`activity.chain = own AND activity.seq >= rolled AND activity.seq < appended`,
        ...recordConditions(dialect, within(scope, from, to)),
      ])}`,
    );
  }
  if (from !== undefined && (since === undefined || since < from)) {
    parts.push(records(within(scope, since, from), byId));
  }
  if (to !== undefined && until !== undefined && to < until) {
    parts.push(records(within(scope, to, until), byId));
  }
  return sql`(${sql.join(parts, sql` UNION ALL `)}) counted`;
}

/** Returns the sum of the records of {@link hourlyCounts} that meet a condition. */
export function sumRecordsIf(condition: Sql): Sql {
  return sql`sum(CASE WHEN ${condition} THEN records ELSE 0 END)`;
}

function where(conditions: readonly Sql[]): Sql {
  return conditions.length === 0 ? sql`` : sql`WHERE ${andConditions(conditions)}`;
}

function within(scope: ActivityScope, from: Date | undefined, to: Date | undefined): ActivityScope {
  const { since: _, until: __, ...others } = scope;
  return { ...others, ...(from && { since: from }), ...(to && { until: to }) };
}

interface Whole {
  readonly from: Date | undefined;
  readonly to: Date | undefined;
  /** How many records are not rolled up. */
  readonly waiting: number;
}

/** Returns the hours of a scope that are completely in the rollup; `undefined` if the rollup is not used. */
async function wholeHours(
  dialect: ReadDatabase["dialect"],
  run: RunQuery,
  { since, until }: ActivityScope,
): Promise<Whole | undefined> {
  // A user who may read the records may lack the right to a table that was added later.
  const granted =
    dialect === "sqlite"
      ? sql`1`
      : sql`has_table_privilege('rollup', 'SELECT') AND has_table_privilege('rollup_chains', 'SELECT')`;
  const [state] = await run(
    sql<State>`SELECT CASE WHEN ${granted} THEN 1 ELSE 0 END AS may,
      (${sql.raw(LAST_REMOVED_ID_SQL)}) AS pruned`.compile(queryBuilder(dialect)),
  );
  if (state === undefined || state.may !== 1) return undefined;
  // The time in an id is not before its record's time.
  const { pruned } = state;
  if (pruned !== null && !isRecordId(pruned)) return undefined;
  const removed = pruned === null ? undefined : floorHour(new Date(idTime(pruned) + HOUR_MS));
  const first = since && ceilHour(since);
  const from = first === undefined || (removed !== undefined && removed > first) ? removed : first;
  const to = until && floorHour(until);
  if (from !== undefined && to !== undefined && from >= to) return undefined;
  const [row] = await run(
    sql<{ readonly waiting: number | null }>`SELECT sum(appended - rolled) AS waiting
      FROM (${sql.raw(UNROLLED_CHAINS_SQL)}) u`.compile(queryBuilder(dialect)),
  );
  const waiting = row?.waiting ?? 0;
  return waiting > MOST_WAITING ? undefined : { from, to, waiting };
}

interface State {
  readonly may: number;
  readonly pruned: string | null;
}
