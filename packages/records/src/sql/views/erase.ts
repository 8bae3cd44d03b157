import { parseQuery } from "../../query/query.ts";
import { SEARCH_KEYS } from "../../query-scope.ts";
import { sessionHash } from "../../session-hash.ts";
import { MAX_VIEWS } from "../../views.ts";
import { queryBuilder } from "../builder.ts";
import type { Database } from "../database.ts";
import type { ErasedCounts, ErasureScope } from "../kept-part.ts";

/** Removes the saved views that filter by a caller or a session. */
export async function eraseViews(
  db: Database,
  { column, value }: ErasureScope,
  dryRun: boolean,
): Promise<ErasedCounts> {
  const build = queryBuilder(db.dialect);
  const all = build.selectFrom("saved_views").select(["id", "name", "query"]).limit(MAX_VIEWS);
  const rows = await db.read((run) => run(all.compile()));
  const named = rows.filter(({ name, query }) => {
    if (column === "caller" && (name.includes(value) || query.includes(value))) return true;
    return parseQuery(query, SEARCH_KEYS).terms.some(
      ({ key, values }) =>
        key === column &&
        values.some((one) => (column === "session" ? sessionHash(one) : one) === value),
    );
  });
  if (!dryRun && named.length > 0) {
    const ids = named.map(({ id }) => id);
    const gone = build.deleteFrom("saved_views").where("id", "in", ids);
    await db.write("views", (run) => run(gone.compile()));
  }
  return { views: named.length };
}
