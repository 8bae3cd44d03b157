import { type Database, plainQuery } from "../database.ts";
import { SEARCH_INDEX } from "./tables.ts";

/** How many records one transaction reads. Other processes wait for SQLite's only writer for a few milliseconds. */
const STEP = 400;
/** How many calls one transaction adds: each costs about 0.1 ms for 1 KB of text. */
const MOST_ADDED = 100;

/** SQL for the chains that have records which are not in the index, and the position from which they are not. */
export const UNSEARCHED_CHAINS = `SELECT c.chain AS own, c.records AS appended,
  max(coalesce(s.records, 0), c.pruned) AS known
  FROM chains c LEFT JOIN search_chains s ON s.chain = c.chain
  WHERE c.records > max(coalesce(s.records, 0), c.pruned)`;
/** SQL for calls that belong into the index: those with arguments or a result. */
export const HAS_BODY =
  "activity.type = 'tool_call' AND (activity.arguments IS NOT NULL OR activity.result IS NOT NULL)";

interface Chain {
  readonly own: string;
  readonly appended: number;
  readonly known: number;
}

/**
 * Adds new calls to the search index of SQLite, up to some hundred records. Each is read once, whichever process
 * wrote it: the position up to which a chain is indexed changes in the same transaction.
 *
 * @returns whether there may be more records
 */
export async function fillSearch(db: Database): Promise<boolean> {
  if (db.dialect !== "sqlite") return false;
  const next = `${UNSEARCHED_CHAINS} LIMIT 1`;
  const waiting = await db.read((run) => run(plainQuery<Chain>(next)));
  if (waiting.length === 0) return false;
  await db.write("search", async (run) => {
    const [chain] = await run<Chain>(plainQuery(next));
    if (chain === undefined) return;
    const { own, appended, known } = chain;
    const range = "activity.chain = ?1 AND activity.seq >= ?2 AND activity.seq < ?3";
    const end = Math.min(appended, known + STEP);
    // A step ends before the call that would exceed the limit.
    const [last] = await run<{ readonly seq: number }>(
      plainQuery(
        `SELECT seq FROM activity WHERE ${range} AND ${HAS_BODY} ORDER BY seq LIMIT 1 OFFSET ${MOST_ADDED}`,
        [own, known, end],
      ),
    );
    const to = last?.seq ?? end;
    const [before] = await run<{ readonly n: number | null }>(
      plainQuery("SELECT max(n) AS n FROM searched"),
    );
    await run(
      plainQuery(
        `INSERT OR IGNORE INTO searched (record) SELECT id FROM activity WHERE ${range} AND ${HAS_BODY} ORDER BY seq`,
        [own, known, to],
      ),
    );
    await run(
      plainQuery(
        `INSERT INTO ${SEARCH_INDEX} (rowid, text)
          SELECT n, coalesce(arguments, '') || char(10) || coalesce(result, '')
          FROM searched JOIN activity ON id = record WHERE n > ?1`,
        [before?.n ?? 0],
      ),
    );
    await run(
      plainQuery(
        `INSERT INTO search_chains (chain, records) VALUES (?1, ?2)
          ON CONFLICT (chain) DO UPDATE SET records = excluded.records`,
        [own, to],
      ),
    );
  });
  return true;
}
