import { ActivityError } from "../errors.ts";
import { type Database, type Lock, plainQuery, type RunQuery } from "../sql/database.ts";
import { type AttemptedAccess, storeFault } from "./faults.ts";
import { type ConnectionPool, inTransaction } from "./pool.ts";

const SNAPSHOT = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

/** Reads and writes over a pool of connections, which `close` ends. */
export function createDatabase({ pool, place }: ConnectionPool): Database {
  let closed = false;

  async function transaction<T>(
    tried: AttemptedAccess,
    begin: string,
    body: (run: RunQuery) => Promise<T>,
  ): Promise<T> {
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
        begin,
      );
    } catch (error) {
      throw storeFault(error, place, tried);
    }
  }

  return {
    dialect: "postgres",
    place,
    read: (body) => transaction("read", SNAPSHOT, body),
    write: (lock, body) =>
      transaction(
        lock === "prune" || lock === "sweep" ? "remove" : "write",
        "BEGIN",
        async (run) => {
          await run(queryOf(lock));
          return body(run);
        },
      ),
    notify: async (run, channel, payload) => {
      await run(plainQuery("SELECT pg_notify($1, $2)", [channel, payload]));
    },
    async close() {
      if (closed) return;
      closed = true;
      await pool.end();
    },
  };
}

/** Numbers of the advisory locks, shared with other builds: other programs are unlikely to use them. */
const NUMBERS = {
  prune: 7_411_002,
  contract: 7_411_003,
  drift: 7_411_004,
  sweep: 7_411_005,
  pins: 7_411_006,
  rollup: 7_411_007,
  sessions: 7_411_008,
  problems: 7_411_009,
  search: 7_411_012,
  views: 7_411_011,
} as const;

/**
 * Returns the query that waits for a lock, which ends with the transaction. Writers of lists share the lock of the
 * processes that remove lists.
 */
function queryOf(lock: Lock) {
  if (typeof lock === "string") {
    return plainQuery("SELECT pg_advisory_xact_lock($1)", [NUMBERS[lock]]);
  }
  if ("pins" in lock) {
    return plainQuery("SELECT pg_advisory_xact_lock($1, hashtext($2))", [NUMBERS.pins, lock.pins]);
  }
  const sql = "SELECT pg_advisory_xact_lock_shared($1), pg_advisory_xact_lock($2, hashtext($3))";
  return plainQuery(sql, [NUMBERS.sweep, NUMBERS.contract, lock.list]);
}
