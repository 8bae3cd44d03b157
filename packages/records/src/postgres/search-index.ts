import type pg from "pg";
import { BODIES, POSTGRES_INDEX } from "../sql/search/found.ts";
import { SCHEMA } from "./faults.ts";
import { openPool } from "./pool.ts";

/** The lock for making the index, which only one gateway does. */
const LOCK = 7_411_010;
const STATE = `SELECT i.indisvalid AS valid FROM pg_index i WHERE i.indexrelid = to_regclass('${SCHEMA}.${POSTGRES_INDEX}')`;
/** The schema of the extension, which may be installed for the whole database. */
const EXTENSION = `SELECT n.nspname AS schema FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace
  WHERE e.extname = 'pg_trgm'`;

/** How long indexing the existing records may take, in milliseconds. */
const PATIENCE_MS = 3_600_000;

/**
 * Makes the index for searching arguments and results, with the extension pg_trgm, while others read and write.
 * Records without arguments and results are not in it.
 *
 * @returns whether the index exists; false if the extension is missing and this user may not install it, or if
 *   another gateway is making it
 */
export async function makeSearchIndex(url: string): Promise<boolean> {
  const { pool } = openPool(url, { connections: 1, statementMs: PATIENCE_MS });
  try {
    const client = await pool.connect();
    try {
      const sql = `SELECT pg_try_advisory_lock(${LOCK}) AS free`;
      const { rows } = await client.query<{ free: boolean }>(sql);
      return rows[0]?.free === true && (await make(client));
    } finally {
      // The lock is released when the connection closes.
      client.release(true);
    }
  } catch {
    // The user lacks the right, or the server does not have the extension. Searches then compare each call.
    return false;
  } finally {
    await pool.end();
  }
}

async function make(client: pg.PoolClient): Promise<boolean> {
  const { rows: states } = await client.query<{ valid: boolean }>(STATE);
  if (states[0]?.valid === true) return true;
  await client.query(`CREATE EXTENSION IF NOT EXISTS pg_trgm SCHEMA ${SCHEMA}`);
  const { rows: extensions } = await client.query<{ schema: string }>(EXTENSION);
  const schema = extensions[0]?.schema;
  if (schema === undefined) return false;
  // Drops an index that a gateway left incomplete when it ended. Such an index slows down writes, and queries cannot
  // use it.
  if (states.length > 0) await client.query(`DROP INDEX CONCURRENTLY ${POSTGRES_INDEX}`);
  await client.query(
    `CREATE INDEX CONCURRENTLY ${POSTGRES_INDEX} ON activity
      USING gin (${BODIES} ${client.escapeIdentifier(schema)}.gin_trgm_ops)
      WHERE type = 'tool_call' AND (arguments IS NOT NULL OR result IS NOT NULL)`,
  );
  return true;
}
