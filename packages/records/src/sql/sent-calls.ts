import { sql } from "kysely";
import type { ActivityScope } from "../filter.ts";
import { STOPPED_STATUSES } from "../record.ts";
import type { SentCallCounts, SentCalls } from "../store.ts";
import { nullsFirstOrder, queryBuilder } from "./builder.ts";
import { withScope, withTimeRange } from "./conditions.ts";
import type { ReadDatabase, RunQuery } from "./database.ts";
import { largestSkew } from "./totals.ts";

/** Limited because clients may make up names. */
const MAX_COUNTS = 10_000;

/** Counts the calls that were forwarded to their server, by server, tool and caller. */
export async function countSentCalls(
  db: ReadDatabase,
  run: RunQuery,
  scope: ActivityScope,
): Promise<SentCallCounts> {
  const skew = await largestSkew(db, run);
  const sent = () => {
    const all = queryBuilder(db.dialect)
      .selectFrom("activity")
      .where("type", "=", "tool_call")
      .where((eb) => eb(eb.fn.coalesce("status", eb.val("")), "not in", [...STOPPED_STATUSES]));
    return withTimeRange(withScope(all, scope, db.dialect), scope, skew);
  };
  const calls = sql<number>`count(*)`.as("calls");
  const by = ["server", "tool", "caller"] as const;
  const counts = await run<SentCalls>(
    sent()
      .select(by)
      .select(calls)
      .groupBy(by)
      .orderBy("calls", "desc")
      .orderBy(nullsFirstOrder(by))
      .limit(MAX_COUNTS)
      .compile(),
  );
  const [all] = await run<{ calls: number }>(sent().select(calls).compile());
  const total = all?.calls ?? 0;
  const counted = counts.reduce((sum, count) => sum + count.calls, 0);
  return { counts, calls: total, left_out: total - counted };
}
