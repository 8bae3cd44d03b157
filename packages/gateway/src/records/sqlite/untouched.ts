import type { ReadDatabase } from "../sql/database.ts";
import { olderFault } from "../sql/migrations.ts";
import { connectUntouched, rollback, whileBusy } from "./connection.ts";
import { readFault } from "./faults.ts";
import { layoutOf } from "./migrate.ts";
import { createRun } from "./statements.ts";

/**
 * Opens a database to look at what is in it now: creates, folds and migrates nothing. What is only in journals is not
 * visible.
 * @returns undefined if it has no tables yet
 * @throws ActivityError `DATABASE_UNREADABLE` if it cannot be read without a change, `DATABASE_NEWER`, `DATABASE_BUSY`
 */
export async function openUntouched(path: string): Promise<ReadDatabase | undefined> {
  try {
    const db = connectUntouched(path);
    try {
      const { isMade, isBehind } = await whileBusy(path, () => layoutOf(db, path, "read"));
      if (!isMade) {
        db.close();
        return undefined;
      }
      if (isBehind) throw olderFault(path);
    } catch (error) {
      db.close();
      throw error;
    }
    const run = createRun(db, path);
    let queue: Promise<unknown> = Promise.resolve();
    return {
      dialect: "sqlite",
      place: path,
      // Reads take turns: a connection has one transaction at a time.
      read(body) {
        const result = queue.then(async () => {
          db.exec("BEGIN DEFERRED");
          try {
            return await body(run);
          } catch (error) {
            throw readFault(error, path);
          } finally {
            rollback(db);
          }
        });
        queue = result.catch(() => undefined);
        return result;
      },
      async close() {
        await queue;
        db.close();
      },
    };
  } catch (error) {
    throw readFault(error, path);
  }
}
