import { sql } from "kysely";
import { irregularJournals } from "../segments.ts";
import { queryBuilder } from "./builder.ts";
import { plainQuery, type ReadDatabase, type RunQuery } from "./database.ts";
import { SEARCH_INDEX } from "./search/tables.ts";
import { LAYOUT_QUERY, type LayoutPart, layoutFaults } from "./sqlite-layout.ts";

/** Most lines of the output of SQLite's own check. */
const MAX_LINES = 10;

/** How many rows to count at a time: SQLite sorts them in memory. */
const STEP = 20_000;
/** How many counts to compare at a time. */
const PAGE = 5000;

const COLUMNS = ["hour", "type", "server", "tool", "direction", "decision", "status"] as const;
const KEY = sql.raw(COLUMNS.join(", "));

type Cell = Readonly<Record<(typeof COLUMNS)[number], string>> & { readonly records: number };

/**
 * Returns what is wrong with indexes and counts, one line each: SQLite's pages and indexes, tables and triggers that
 * differ from their definitions, journals that are not files, and the counts in table `tally`. PostgreSQL's server
 * maintains its indexes, and it has no such counts.
 */
export async function inconsistencies(db: ReadDatabase, run: RunQuery): Promise<readonly string[]> {
  if (db.dialect !== "sqlite") return [];
  const build = queryBuilder(db.dialect);
  await renewIndex(run);
  // https://www.sqlite.org/pragma.html#pragma_integrity_check
  const check = sql<{ line: string }>`SELECT integrity_check AS line
    FROM pragma_integrity_check(${sql.lit(MAX_LINES)})`;
  const lines = (await run(check.compile(build))).map(({ line }) => line);
  const damage = lines
    .filter((line) => line !== "ok")
    .map((line) => `the database is damaged: ${line}`);
  const parts = await run(sql.raw<LayoutPart>(LAYOUT_QUERY).compile(build));
  const [stated] = await run(build.selectFrom("version").select("layout").compile());
  const journals = irregularJournals(db.place).map(
    (name) => `${name} is not a regular file: records that were in it are not seen`,
  );
  const found = [...damage, ...layoutFaults(parts, stated?.layout ?? 0), ...journals];
  const counts = "the counts by which records are listed are not those of the records";
  return (await isTallied(run)) ? found : [...found, counts];
}

/** Returns whether table `tally` equals a recount of all records. */
async function isTallied(run: RunQuery): Promise<boolean> {
  const left = new Map<string, number>();
  const add = (cell: Cell, hour: string, records: number): void => {
    const key = JSON.stringify([hour, ...COLUMNS.slice(1).map((column) => cell[column])]);
    const sum = (left.get(key) ?? 0) + records;
    if (sum === 0) left.delete(key);
    else left.set(key, sum);
  };
  for await (const cell of counted(run)) {
    add(cell, cell.hour, cell.records);
    add(cell, "", cell.records);
  }
  for await (const cell of tallied(run)) add(cell, cell.hour, -cell.records);
  return left.size === 0;
}

async function* counted(run: RunQuery): AsyncGenerator<Cell> {
  const build = queryBuilder("sqlite");
  for (let after = Number.MIN_SAFE_INTEGER; ; ) {
    const step = sql<Cell & { readonly last: number }>`
      SELECT substr(time, 1, 13) AS hour, type, ifnull(server, '') AS server,
        ifnull(tool, '') AS tool, ifnull(direction, '') AS direction,
        ifnull(decision, '') AS decision, ifnull(status, '') AS status,
        count(*) AS records, max(row) AS last
      FROM (SELECT rowid AS row, * FROM activity WHERE rowid > ${after} ORDER BY rowid LIMIT ${sql.lit(STEP)})
      GROUP BY 1, 2, 3, 4, 5, 6, 7`;
    const cells = await run(step.compile(build));
    yield* cells;
    const last = cells.reduce((most, cell) => Math.max(most, cell.last), after);
    if (last === after) return;
    after = last;
  }
}

async function* tallied(run: RunQuery): AsyncGenerator<Cell> {
  const build = queryBuilder("sqlite");
  // Uses an offset instead of the last key: a damaged text may be read as another one.
  for (let from = 0; ; from += PAGE) {
    const page = sql<Cell>`
      SELECT ${KEY}, records FROM tally ORDER BY ${KEY} LIMIT ${sql.lit(PAGE)} OFFSET ${from}`;
    const cells = await run(page.compile(build));
    yield* cells;
    if (cells.length < PAGE) return;
  }
}

/**
 * Makes SQLite reload the structure of the search index. A connection caches the structure, and only a search notices
 * that another connection has changed it: without a search, the integrity check would report a damaged index.
 */
async function renewIndex(run: RunQuery): Promise<void> {
  try {
    await run(
      plainQuery(`SELECT rowid FROM ${SEARCH_INDEX} WHERE ${SEARCH_INDEX} MATCH '"aaa"' LIMIT 1`),
    );
  } catch {
    // The integrity check reports what is wrong with the index.
  }
}
