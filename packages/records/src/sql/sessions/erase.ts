import { queryBuilder } from "../builder.ts";
import type { Database } from "../database.ts";
import type { ErasedCounts, ErasureScope } from "../kept-part.ts";

/** Ends the sessions of a key or person. */
export async function eraseSessions(
  db: Database,
  { column, value }: ErasureScope,
  dryRun: boolean,
): Promise<ErasedCounts> {
  if (column !== "caller") return {};
  const build = queryBuilder(db.dialect);
  const of = build.selectFrom("console_sessions").select("id").where("caller", "=", value);
  const rows = await db.read((run) => run(of.compile()));
  if (!dryRun && rows.length > 0) {
    const gone = build.deleteFrom("console_sessions").where("caller", "=", value);
    await db.write("sessions", (run) => run(gone.compile()));
  }
  return { console_sessions: rows.length };
}
