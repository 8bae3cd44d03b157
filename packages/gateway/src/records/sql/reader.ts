import { sql } from "kysely";
import type { ActivityPage } from "../api/schemas.ts";
import { encodeCursor } from "../cursor.ts";
import type { ActivityFilter } from "../filter.ts";
import type { ActivityRecord } from "../record.ts";
import type { ActivityReader } from "../store.ts";
import { queryBuilder } from "./builder.ts";
import { histogramOf, sessionsOf, valuesOf } from "./call-counts.ts";
import { callDetail, callPage } from "./calls.ts";
import { readChains, readLinks, readStretch } from "./chains.ts";
import { declaredTexts } from "./changed-schemas.ts";
import { ContractTables } from "./contract-tables.ts";
import type { ReadDatabase, RunQuery } from "./database.ts";
import { driftRows, latestDrift } from "./drift.ts";
import { erasuresIn } from "./erasures.ts";
import { overviewOf } from "./overview.ts";
import { readRows } from "./pages.ts";
import { repairsOf } from "./repairs.ts";
import { rolloutOf } from "./rollout.ts";
import { type ActivityRow, fromRow } from "./rows.ts";
import { sentCallsOf } from "./sent-calls.ts";
import { checkStore } from "./store-check.ts";
import { summaryOf } from "./summary.ts";
import { readTail } from "./tail.ts";
import { largestSkew, totalOf } from "./totals.ts";

const MAX_CHAIN_PAGE = 1000;

/** Reads records from either database. `close` closes it. */
export function createReader(db: ReadDatabase): ActivityReader {
  const build = queryBuilder(db.dialect);
  const records = (rows: readonly ActivityRow[]): readonly ActivityRecord[] =>
    rows.map((row) => fromRow(row, db.place));

  async function page(run: RunQuery, filter: ActivityFilter): Promise<ActivityPage> {
    const skew = await largestSkew(db, run);
    const total = await totalOf(db, run, filter, skew);
    const stretch = { order: "desc", after: filter.after, offset: filter.offset } as const;
    const limit = filter.limit + 1;
    const rows = total === 0 ? [] : await readRows(db, run, filter, skew, { ...stretch, limit });
    const activities = records(rows.slice(0, filter.limit));
    const last = rows.length > filter.limit ? activities.at(-1) : undefined;
    return {
      activities,
      total,
      limit: filter.limit,
      offset: filter.offset,
      next_cursor: last === undefined ? null : encodeCursor(last.id),
    };
  }

  return {
    list: (filter) => db.read((run) => page(run, filter)),

    get: (id) =>
      db.read(async (run) => {
        const query = build.selectFrom("activity").selectAll().where("id", "=", id.toUpperCase());
        return records(await run(query.compile()))[0];
      }),

    findByPrefix: (prefix, limit) =>
      db.read(async (run) => {
        const from = prefix.toUpperCase();
        // `~` sorts after every character of a ULID.
        const query = build
          .selectFrom("activity")
          .selectAll()
          .where("id", ">=", from)
          .where("id", "<", `${from}~`)
          .orderBy("id")
          .limit(limit);
        return records(await run(query.compile()));
      }),

    scan: (scope, { after, limit, order = "asc" }) =>
      db.read(async (run) => {
        const skew = await largestSkew(db, run);
        return records(await readRows(db, run, scope, skew, { order, after, limit }));
      }),

    tail: (position, limit) => db.read((run) => readTail(db, run, position, limit)),

    chains: () => db.read((run) => readChains(db, run)),

    readChain: (chain, { from = 0, limit = MAX_CHAIN_PAGE } = {}) =>
      db.read(async (run) => records(await readStretch(db, run, { chain, from, limit }))),

    readLinks: (chain, from, limit) => db.read((run) => readLinks(db, run, { chain, from, limit })),

    erasures: () => db.read((run) => erasuresIn(db, run)),

    checkStore: () => db.read((run) => checkStore(db, run)),

    summary: (scope) => db.read((run) => summaryOf(db, run, scope)),

    rollout: (scope, settings) => db.read((run) => rolloutOf(db, run, scope, settings)),

    sentCalls: (scope) => db.read((run) => sentCallsOf(db, run, scope)),

    listedTools: (server) =>
      db.read((run) => new ContractTables(db.dialect).toolNames(run, server)),

    declaredTexts: (server, hashes) => db.read((run) => declaredTexts(db, run, server, hashes)),

    repairs: (scope) => db.read((run) => repairsOf(db, run, scope)),

    drift: (server, tool) => db.read((run) => driftRows(db, run, server, tool)),

    calls: (filter) => db.read((run) => callPage(db, run, filter)),
    call: (id, filter) => db.read((run) => callDetail(db, run, id.toUpperCase(), filter)),
    histogram: (scope, options) => db.read((run) => histogramOf(db, run, scope, options)),
    values: () => db.read((run) => valuesOf(db, run)),
    overview: (options) => db.read((run) => overviewOf(db, run, options)),
    drifts: (limit) => db.read((run) => latestDrift(db, run, limit)),
    sessions: (page) => db.read((run) => sessionsOf(db, run, page)),

    usage: () =>
      db.read(async (run) => {
        const skew = await largestSkew(db, run);
        const total = await totalOf(db, run, {}, skew);
        const size =
          db.dialect === "sqlite"
            ? sql<{ bytes: number }>`SELECT (page_count - freelist_count) * page_size AS bytes
                FROM pragma_page_count, pragma_freelist_count, pragma_page_size`
            : sql<{ bytes: number }>`SELECT pg_total_relation_size('activity') AS bytes`;
        const [row] = await run(size.compile(build));
        return { records: total, bytes: row?.bytes ?? 0 };
      }),

    close: () => db.close(),
  };
}
