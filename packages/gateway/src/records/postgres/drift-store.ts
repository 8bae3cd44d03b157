import { merge, roomFor } from "../../drift/shape.ts";
import { readShape, sealShape } from "../../drift/shape-text.ts";
import { type DriftStore, MAX_SCHEMAS } from "../../drift/store.ts";
import { storeFault } from "./faults.ts";
import { inTransaction, type Pool } from "./pool.ts";
import { DRIFT_LOCK } from "./schema.ts";

const SELECT = "SELECT shape FROM drift WHERE server = $1 AND tool = $2 AND schema_hash = $3";
const UPSERT = `INSERT INTO drift (server, tool, schema_hash, schema, shape, since, until)
  VALUES ($1, $2, $3, $4, $5, $6, $6)
  ON CONFLICT (server, tool, schema_hash) DO UPDATE SET
    shape = excluded.shape, until = excluded.until`;
const FORGET = `DELETE FROM drift WHERE (server, tool, schema_hash) IN
  (SELECT server, tool, schema_hash FROM drift WHERE server = $1 AND tool = $2
    AND schema_hash <> $3 ORDER BY until DESC, schema_hash OFFSET ${MAX_SCHEMAS - 1})`;

/** Keeps the shapes of results in the database, of all gateways that share it together. */
export function createDriftStore({ pool, place }: Pool, now: () => Date): DriftStore {
  return {
    async add(entries) {
      try {
        await inTransaction(pool, async (client) => {
          await client.query("SELECT pg_advisory_xact_lock($1)", [DRIFT_LOCK]);
          for (const { server, tool, schemaHash, schema, shape } of entries) {
            const key = [server, tool, schemaHash] as const;
            const { rows } = await client.query<{ shape: string }>(SELECT, [...key]);
            const whole = readShape(rows[0]?.shape ?? "{}");
            merge(whole, shape, roomFor(whole));
            await client.query(UPSERT, [
              ...key,
              schema,
              sealShape(whole, key),
              now().toISOString(),
            ]);
            // A server may declare another schema each time that it is asked.
            if (rows[0] === undefined) await client.query(FORGET, [...key]);
          }
        });
      } catch (error) {
        throw storeFault(error, place, "write");
      }
    },
  };
}
