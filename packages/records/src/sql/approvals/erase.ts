import { queryBuilder } from "../builder.ts";
import type { Database } from "../database.ts";
import type { ErasedCounts, ErasureScope } from "../kept-part.ts";

/** Removes the name of the person who approved. */
export async function eraseApprover(
  db: Database,
  { column, value }: ErasureScope,
  dryRun: boolean,
): Promise<ErasedCounts> {
  if (column !== "caller") return {};
  const build = queryBuilder(db.dialect);
  const of = build.selectFrom("pins").select(["server", "hash"]).where("caller", "=", value);
  const rows = await db.read((run) => run(of.compile()));
  const servers = dryRun ? [] : [...new Set(rows.map(({ server }) => server))];
  for (const server of servers) {
    const clear = build
      .updateTable("pins")
      .set({ caller: null })
      .where("caller", "=", value)
      .where("server", "=", server);
    await db.write({ pins: server }, (run) => run(clear.compile()));
  }
  return { approvals: rows.length };
}
