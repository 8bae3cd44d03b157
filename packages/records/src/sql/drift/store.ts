import { sql } from "kysely";
import { mergeShapes, shapeBudgetFor } from "../../drift/shape.ts";
import { readShape, sealShape } from "../../drift/shape-text.ts";
import {
  type DriftEntry,
  type DriftStore,
  MAX_SCHEMAS,
  type StoredDrift,
} from "../../drift/store.ts";
import { queryBuilder } from "../builder.ts";
import type { Database, ReadDatabase, RunQuery } from "../database.ts";

/** Keeps the shapes of results in a database, for all processes that share it. */
export function createDriftStore(db: Database, now: () => Date): DriftStore {
  const build = queryBuilder(db.dialect);

  async function put(run: RunQuery, entry: DriftEntry): Promise<void> {
    const { server, tool, schemaHash: schema_hash, schema } = entry;
    const of = { server, tool, schema_hash };
    const known = build
      .selectFrom("drift")
      .select("shape")
      .where((row) => row.and(of));
    const [row] = await run(known.compile());
    const whole = readShape(row?.shape ?? "{}");
    mergeShapes(whole, entry.shape, shapeBudgetFor(whole));
    const time = now().toISOString();
    const shape = sealShape(whole, [server, tool, schema_hash]);
    const save = build
      .insertInto("drift")
      .values({ ...of, schema, shape, since: time, until: time })
      .onConflict((at) =>
        at.columns(["server", "tool", "schema_hash"]).doUpdateSet((row) => ({
          shape: row.ref("excluded.shape"),
          until: row.ref("excluded.until"),
        })),
      );
    await run(save.compile());
    // Old schemas are dropped, because a server may declare another schema each time.
    if (row !== undefined) return;
    const forget = sql`DELETE FROM drift WHERE (server, tool, schema_hash) IN (
      SELECT server, tool, schema_hash FROM drift
      WHERE server = ${server} AND tool = ${tool} AND schema_hash <> ${schema_hash}
      ORDER BY until DESC, schema_hash LIMIT 1000000 OFFSET ${sql.lit(MAX_SCHEMAS - 1)})`;
    await run(forget.compile(build));
  }

  return {
    add: (entries) =>
      db.write("drift", async (run) => {
        for (const entry of entries) await put(run, entry);
      }),
  };
}

/** Returns the data of each tool under the schema of its latest results, the latest first. */
export async function latestDrift(
  db: ReadDatabase,
  run: RunQuery,
  limit: number,
): Promise<readonly StoredDrift[]> {
  const query = queryBuilder(db.dialect)
    .selectFrom("drift")
    .selectAll()
    .where(
      sql<boolean>`NOT EXISTS (SELECT 1 FROM drift later WHERE later.server = drift.server
        AND later.tool = drift.tool AND later.until > drift.until)`,
    )
    .orderBy("until", "desc")
    .limit(limit);
  const rows = await run(query.compile());
  return rows.map(({ schema_hash, shape, ...row }) => ({
    ...row,
    schemaHash: schema_hash,
    shape: readShape(shape),
  }));
}

/** Returns the data about a tool's results, the latest schema first. */
export async function driftRows(
  db: ReadDatabase,
  run: RunQuery,
  server: string,
  tool: string,
): Promise<readonly StoredDrift[]> {
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
