import { sql } from "kysely";
import { encodeCursor } from "../cursor.ts";
import type { ActivityFilter } from "../filter.ts";
import type { ActivityRecord } from "../record.ts";
import type { ActivityPage } from "../response-schemas.ts";
import type { ActivityReader } from "../store.ts";
import { queryBuilder } from "./builder.ts";
import { callHistogram, callValues } from "./call-counts.ts";
import { callersOf } from "./callers/callers.ts";
import { sessionsOf } from "./callers/sessions.ts";
import { callDetail, callPage } from "./calls.ts";
import { readChainLinks, readChainRange, readChains } from "./chains.ts";
import { declaredTexts } from "./contracts/changed-schemas.ts";
import { ContractTables } from "./contracts/lists.ts";
import type { ReadDatabase, RunQuery } from "./database.ts";
import { driftRows, latestDrift } from "./drift/store.ts";
import { erasuresIn } from "./erasures.ts";
import { overviewOf } from "./overview.ts";
import { readRows } from "./pages.ts";
import { withProblem } from "./problems/filter.ts";
import { oneProblem, problemPage } from "./problems/list.ts";
import { repairsOf } from "./repairs.ts";
import { rolloutOf } from "./rollout.ts";
import { type ActivityRow, fromRow } from "./rows.ts";
import { countSentCalls } from "./sent-calls.ts";
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

    scan: (given, { after, limit, order = "asc" }) =>
      db.read(async (run) => {
        const scope = await withProblem(db, run, given);
        const skew = await largestSkew(db, run);
        return records(await readRows(db, run, scope, skew, { order, after, limit }));
      }),

    tail: (position, limit) => db.read((run) => readTail(db, run, position, limit)),

    chains: () => db.read((run) => readChains(db, run)),

    readChain: (chain, { from = 0, limit = MAX_CHAIN_PAGE } = {}) =>
      db.read(async (run) => records(await readChainRange(db, run, { chain, from, limit }))),

    readLinks: (chain, from, limit) =>
      db.read((run) => readChainLinks(db, run, { chain, from, limit })),

    erasures: () => db.read((run) => erasuresIn(db, run)),

    checkStore: () => db.read((run) => checkStore(db, run)),

    summary: (scope) => db.read((run) => summaryOf(db, run, scope)),

    rollout: (scope, settings) => db.read((run) => rolloutOf(db, run, scope, settings)),

    sentCalls: (scope) => db.read((run) => countSentCalls(db, run, scope)),

    listedTools: (server) =>
      db.read((run) => new ContractTables(db.dialect).toolNames(run, server)),

    declaredTexts: (server, hashes) => db.read((run) => declaredTexts(db, run, server, hashes)),

    repairs: (scope) => db.read((run) => repairsOf(db, run, scope)),

    drift: (server, tool) => db.read((run) => driftRows(db, run, server, tool)),

    calls: (filter) =>
      db.read(async (run) => callPage(db, run, await withProblem(db, run, filter))),
    call: (id, filter) =>
      db.read(async (run) =>
        callDetail(db, run, id.toUpperCase(), await withProblem(db, run, filter)),
      ),
    histogram: (scope, options) =>
      db.read(async (run) => callHistogram(db, run, await withProblem(db, run, scope), options)),
    values: () => db.read((run) => callValues(db, run)),
    overview: (options) => db.read((run) => overviewOf(db, run, options)),
    problems: (filter, { settings, now }) =>
      db.read((run) => problemPage(db, run, filter, { settings, now })),
    problem: (id, scope, { settings, now }) =>
      db.read((run) => oneProblem(db, run, id, scope, { settings, now })),
    drifts: (limit) => db.read((run) => latestDrift(db, run, limit)),
    sessions: (filter) => db.read((run) => sessionsOf(db, run, filter)),
    callers: (filter) => db.read((run) => callersOf(db, run, filter)),

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
