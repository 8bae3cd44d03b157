import { type Database, plainQuery } from "../database.ts";
import type { ErasedCounts, ErasureScope } from "../kept-part.ts";
import { SEARCH_INDEX } from "./tables.ts";

/** How many pages are merged in one transaction. */
const PAGES = 200;

/**
 * Rewrites the search index, so that it contains no data of removed calls: before that, they are only marked as
 * removed. Triggers removed them when their records were erased.
 */
export async function rewriteIndex(
  db: Database,
  _erasing: ErasureScope,
  dryRun: boolean,
): Promise<ErasedCounts> {
  if (dryRun || db.dialect !== "sqlite") return {};
  // A negative number begins a rewrite, and a positive one continues it (https://www.sqlite.org/fts5.html, "merge").
  for (let pages = -PAGES; await merge(db, pages); pages = PAGES);
  return {};
}

/** Returns whether there was something to do. */
function merge(db: Database, pages: number): Promise<boolean> {
  return db.write("search", async (run) => {
    const changes = plainQuery<{ readonly n: number }>("SELECT total_changes() AS n");
    const [before] = await run(changes);
    await run(
      plainQuery(`INSERT INTO ${SEARCH_INDEX} (${SEARCH_INDEX}, rank) VALUES ('merge', ?1)`, [
        pages,
      ]),
    );
    const [after] = await run(changes);
    return (after?.n ?? 0) - (before?.n ?? 0) >= 2;
  });
}
