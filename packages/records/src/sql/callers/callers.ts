import { sql } from "kysely";
import type { CallerFilter } from "../../caller-filter.ts";
import { firstIdAt } from "../../ids.ts";
import type { CallerPage, CallerRow } from "../../response-schemas.ts";
import { queryBuilder } from "../builder.ts";
import type { ReadDatabase, RunQuery } from "../database.ts";
import { byIds } from "../way.ts";
import { sortedPage } from "./page.ts";
import { callerCells } from "./read.ts";
import { CALLER_COUNTS, type CallerCell } from "./rollup.ts";
import { containsText } from "./sessions.ts";

/** Tools of one caller to return: those with the most calls. */
const MOST_TOOLS = 20;
/** Names of clients and servers of one caller to return. */
const MOST_NAMES = 50;
/** How many of the latest records to read for the calls of the last minute. */
const LATEST = 20_000;
const MINUTE_MS = 60_000;

type Cell = Pick<
  CallerCell,
  "caller" | "client" | "server" | "tool" | "first" | "last" | (typeof CALLER_COUNTS)[number]
>;
type Row = Omit<CallerRow, "calls_last_minute">;

/**
 * Returns who called. Calls without a caller are in one row for each client, because it is unknown who used the
 * client.
 */
export async function callersOf(
  db: ReadDatabase,
  run: RunQuery,
  filter: CallerFilter,
): Promise<CallerPage> {
  const { cells, from, isCut, uncounted } = await callerCells(db, run, filter, [
    ...(["caller", "client", "server", "tool"] as const),
  ]);
  const found = callersIn(cells).filter(({ caller, clients, servers, tools }) =>
    containsText([caller, ...clients, ...servers, ...tools.map(({ tool }) => tool)], filter.text),
  );
  const { entries, next } = sortedPage(found, filter, {
    value: (row) => VALUES[filter.sort](row),
    key: ({ caller, clients }) => JSON.stringify([caller, caller === null ? clients : []]),
  });
  const latest = await callsInLastMinute(db, run, filter.now);
  return {
    callers: entries.map((row) => ({
      ...row,
      calls_last_minute: row.caller === null ? null : (latest.get(row.caller) ?? 0),
    })),
    total: found.length,
    since: from === undefined ? null : from.toISOString(),
    counted_from: isCut && from !== undefined ? from.toISOString() : null,
    uncounted,
    next_cursor: next,
  };
}

const VALUES: Readonly<Record<CallerFilter["sort"], (row: Row) => number>> = {
  last: ({ last }) => Date.parse(last),
  calls: ({ calls }) => calls,
  blocked: ({ blocked }) => blocked,
  limited: ({ limited }) => limited,
  tools: ({ tool_count }) => tool_count,
};

/** Sums up cells by caller, or by client if there is no caller. */
export function callersIn(cells: readonly Cell[]): readonly Row[] {
  const groups = new Map<string, Cell[]>();
  for (const cell of cells) {
    const key = JSON.stringify([cell.caller, cell.caller === "" ? cell.client : ""]);
    const own = groups.get(key);
    if (own === undefined) groups.set(key, [cell]);
    else own.push(cell);
  }
  return [...groups.values()].map((own): Row => {
    const tools = new Map<string, { server: string | null; tool: string | null; calls: number }>();
    const counts = Object.fromEntries(CALLER_COUNTS.map((name) => [name, 0])) as Record<
      (typeof CALLER_COUNTS)[number],
      number
    >;
    let [first, last] = ["~", ""];
    for (const cell of own) {
      for (const name of CALLER_COUNTS) counts[name] += Number(cell[name]);
      if (cell.first < first) first = cell.first;
      if (cell.last > last) last = cell.last;
      const key = JSON.stringify([cell.server, cell.tool]);
      const known = tools.get(key) ?? {
        server: cell.server || null,
        tool: cell.tool || null,
        calls: 0,
      };
      tools.set(key, { ...known, calls: known.calls + Number(cell.calls) });
    }
    return {
      caller: own[0]?.caller || null,
      clients: namesOf(own.map(({ client }) => client)),
      servers: namesOf(own.map(({ server }) => server)),
      tools: [...tools.values()].toSorted((a, b) => b.calls - a.calls).slice(0, MOST_TOOLS),
      tool_count: tools.size,
      first,
      last,
      ...counts,
    };
  });
}

function namesOf(names: readonly string[]): readonly string[] {
  return [...new Set(names.filter((name) => name !== ""))].toSorted().slice(0, MOST_NAMES);
}

/** Counts the forwarded calls of each caller in the last minute, among the latest records. */
async function callsInLastMinute(
  { dialect }: ReadDatabase,
  run: RunQuery,
  now: Date,
): Promise<ReadonlyMap<string, number>> {
  const since = new Date(now.getTime() - MINUTE_MS);
  const rows = await run(
    sql<{ caller: string; calls: number }>`SELECT caller, count(*) AS calls FROM
      (SELECT caller, time, type, status FROM activity ${byIds(dialect)}
        WHERE id >= ${firstIdAt(since.getTime())} ORDER BY id DESC LIMIT ${sql.lit(LATEST)}) latest
      WHERE type = 'tool_call' AND caller IS NOT NULL AND time >= ${since.toISOString()}
        AND status NOT IN ('blocked', 'denied', 'held', 'out_of_bounds', 'limited', 'rejected')
      GROUP BY caller`.compile(queryBuilder(dialect)),
  );
  return new Map(rows.map(({ caller, calls }) => [caller, calls]));
}
