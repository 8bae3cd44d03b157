import { UNUSED_MS } from "../../contracts/store.ts";
import { inTransaction, type Pool } from "./pool.ts";
import { SWEEP_LOCK } from "./schema.ts";

const UNUSED = "NOT EXISTS (SELECT 1 FROM list_scopes WHERE list = lists.id)";
const UNREFERRED = `NOT EXISTS (SELECT 1 FROM list_tools WHERE input = schemas.id)
  AND NOT EXISTS (SELECT 1 FROM list_tools WHERE output = schemas.id)
  AND NOT EXISTS (SELECT 1 FROM requests WHERE output = schemas.hash)`;
const REMOVE_SCHEMAS = `DELETE FROM schemas WHERE id = ANY($1)
  AND ${UNREFERRED}`;
/** One may have been kept for a request alone. */
const REMOVE_OTHERS = `DELETE FROM schemas WHERE ${UNREFERRED}`;

/** Removes those of these lists that no scope refers to any more, and the texts that no list does. */
export async function sweepLists({ pool }: Pool, lists: Iterable<number>): Promise<void> {
  for (const list of new Set(lists)) {
    const unused = `SELECT id FROM lists WHERE id = $1 AND ${UNUSED}`;
    // Mostly there is nothing to remove, and nobody has to wait for the lock.
    if ((await pool.query(unused, [list])).rowCount === 0) continue;
    await inTransaction(pool, async (client) => {
      await client.query("SELECT pg_advisory_xact_lock($1)", [SWEEP_LOCK]);
      const { rowCount } = await client.query(`DELETE FROM lists WHERE id = $1 AND ${UNUSED}`, [
        list,
      ]);
      if (rowCount === 0) return;
      const remove = "DELETE FROM list_tools WHERE list = $1 RETURNING input, output";
      const gone = await client.query<Record<"input" | "output", number | null>>(remove, [list]);
      const schemas = new Set(
        gone.rows.flatMap(({ input, output }) => [input ?? [], output ?? []].flat()),
      );
      await client.query(REMOVE_SCHEMAS, [[...schemas]]);
    });
  }
}

/** Removes lists that were not used for {@link UNUSED_MS}, and those that nobody refers to. */
export async function sweepOldLists(
  at: Pool,
  now: Date,
  signal: AbortSignal | undefined,
): Promise<void> {
  const before = new Date(now.getTime() - UNUSED_MS).toISOString();
  await at.pool.query("DELETE FROM list_scopes WHERE used < $1", [before]);
  const { rows } = await at.pool.query<{ id: number }>(`SELECT id FROM lists WHERE ${UNUSED}`);
  for (const { id } of rows) {
    if (signal?.aborted === true) return;
    await sweepLists(at, [id]);
  }
  await inTransaction(at.pool, async (client) => {
    await client.query("SELECT pg_advisory_xact_lock($1)", [SWEEP_LOCK]);
    await client.query(REMOVE_OTHERS);
  });
}
