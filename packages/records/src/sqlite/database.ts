import type { Database } from "../sql/database.ts";
import { type Connection, retryWhileBusy, rollback } from "./connection.ts";
import { readFault, writeFault } from "./faults.ts";
import { createRun } from "./statements.ts";

/**
 * Reads and writes over a connection, which `close` closes. Transactions run one after the other, because SQLite
 * cannot distinguish those of one connection. The write lock is SQLite's own and excludes all other writers, so a
 * body that awaits anything but its queries blocks every process that shares the database.
 *
 * @param path the database's path, for messages
 */
export function createDatabase(db: Connection, path: string): Database {
  const run = createRun(db, path);
  let last: Promise<unknown> = Promise.resolve();

  async function transaction<T>(kind: string, body: () => Promise<T>): Promise<T> {
    await retryWhileBusy(path, () => db.exec(`BEGIN ${kind}`));
    try {
      const result = await body();
      await retryWhileBusy(path, () => db.exec("COMMIT"));
      return result;
    } catch (error) {
      rollback(db);
      throw error;
    }
  }

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = last.then(work);
    last = done.catch(() => {});
    return done;
  }

  return {
    dialect: "sqlite",
    place: path,
    read: (body) =>
      inTurn(() => transaction("DEFERRED", () => body(run))).catch((error: unknown) => {
        throw readFault(error, path);
      }),
    write: (_lock, body) =>
      inTurn(() => transaction("IMMEDIATE", () => body(run))).catch((error: unknown) => {
        throw writeFault(error, path);
      }),
    async close() {
      await last;
      db.close();
    },
  };
}
