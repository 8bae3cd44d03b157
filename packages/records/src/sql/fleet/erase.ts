import { queryBuilder } from "../builder.ts";
import type { Database } from "../database.ts";
import type { ErasedCounts, ErasureScope } from "../kept-part.ts";

/** Removes the open requests of a session. */
export async function eraseRequests(
  db: Database,
  { column, value }: ErasureScope,
  dryRun: boolean,
): Promise<ErasedCounts> {
  if (column !== "session" || db.dialect !== "postgres") return {};
  const build = queryBuilder(db.dialect);
  const of = build.selectFrom("requests").select("id").where("session", "=", value);
  const rows = await db.read((run) => run(of.compile()));
  if (!dryRun && rows.length > 0) {
    const gone = build.deleteFrom("requests").where("session", "=", value);
    await db.write("sweep", (run) => run(gone.compile()));
  }
  return { requests: rows.length };
}
