import { ActivityError } from "../errors.ts";
import type { ReadDatabase } from "../sql/database.ts";
import { storeFault } from "./faults.ts";
import { inTransaction, type Pool } from "./pool.ts";

/** Reads over a pool of connections, which it closes. */
export function createReadDatabase({ pool, place }: Pool): ReadDatabase {
  let closed = false;
  return {
    dialect: "postgres",
    place,
    async read(body) {
      if (closed) throw new ActivityError("CLOSED", `The activity store ${place} is closed.`);
      try {
        return await inTransaction(
          pool,
          (client) =>
            body(
              async <Row>({ sql, parameters }: { sql: string; parameters: readonly unknown[] }) => {
                const { rows } = await client.query(sql, [...parameters]);
                return rows as Row[];
              },
            ),
          "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
        );
      } catch (error) {
        throw storeFault(error, place, "read");
      }
    },
    async close() {
      if (closed) return;
      closed = true;
      await pool.end();
    },
  };
}
