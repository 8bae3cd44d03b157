import { readShape } from "../../drift/shape-text.ts";
import type { KeptDrift } from "../../drift/store.ts";
import { queryBuilder } from "./builder.ts";
import type { ReadDatabase, RunQuery } from "./database.ts";

/** What is kept of a tool's results, the schema of the latest first. */
export async function driftRows(
  db: ReadDatabase,
  run: RunQuery,
  server: string,
  tool: string,
): Promise<readonly KeptDrift[]> {
  const query = queryBuilder(db.dialect)
    .selectFrom("drift")
    .selectAll()
    .where("server", "=", server)
    .where("tool", "=", tool)
    .orderBy("until", "desc");
  const rows = await run(query.compile());
  return rows.map(({ schema_hash, shape, ...row }) => ({
    ...row,
    schemaHash: schema_hash,
    shape: readShape(shape),
  }));
}
