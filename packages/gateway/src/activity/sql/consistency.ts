import { sql } from "kysely";
import { queryBuilder } from "./builder.ts";
import type { ReadDatabase, RunQuery } from "./database.ts";

/** Most lines of SQLite's own check. */
const MAX_LINES = 10;

const KIND = sql.raw("type, server, tool, direction, decision, status");

/** What table `tally` has to hold. */
const COUNTED = sql`SELECT substr(time, 1, 13) AS hour, type, ifnull(server, '') AS server,
    ifnull(tool, '') AS tool, ifnull(direction, '') AS direction, ifnull(decision, '') AS decision,
    ifnull(status, '') AS status, count(*) AS records
  FROM activity GROUP BY 1, 2, 3, 4, 5, 6, 7`;

/**
 * What is wrong with that by which records are found, in a line each: SQLite's pages and indexes, and
 * the counts in table `tally`. PostgreSQL's indexes are the server's, and it keeps no counts.
 */
export async function inconsistencies(db: ReadDatabase, run: RunQuery): Promise<readonly string[]> {
  if (db.dialect !== "sqlite") return [];
  const build = queryBuilder(db.dialect);
  // https://www.sqlite.org/pragma.html#pragma_integrity_check
  const check = sql<{ line: string }>`SELECT integrity_check AS line
    FROM pragma_integrity_check(${sql.lit(MAX_LINES)})`;
  const lines = (await run(check.compile(build))).map(({ line }) => line);
  const damage = lines
    .filter((line) => line !== "ok")
    .map((line) => `the database is damaged: ${line}`);
  const compare = sql<{ places: number }>`
    WITH counted AS (${COUNTED}),
      wanted AS (SELECT * FROM counted UNION ALL
        SELECT '', ${KIND}, sum(records) FROM counted GROUP BY ${KIND}),
      kept AS (SELECT hour, ${KIND}, records FROM tally)
    SELECT (SELECT count(*) FROM (SELECT * FROM wanted EXCEPT SELECT * FROM kept))
      + (SELECT count(*) FROM (SELECT * FROM kept EXCEPT SELECT * FROM wanted)) AS places`;
  const [row] = await run(compare.compile(build));
  const counts = "the counts by which records are listed are not those of the records";
  return (row?.places ?? 0) === 0 ? damage : [...damage, counts];
}
