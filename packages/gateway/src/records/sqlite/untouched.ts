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
      if (isBehind && isMade) throw olderFault(path);
      if (!isMade) {
        db.close();
        return undefined;
      }
    } catch (error) {
      db.close();
      throw error;
    }
    const run = createRun(db, path);
    return {
      dialect: "sqlite",
      place: path,
      async read(body) {
        db.exec("BEGIN DEFERRED");
        try {
          return await body(run);
        } catch (error) {
          throw readFault(error, path);
        } finally {
          rollback(db);
        }
      },
      async close() {
        db.close();
      },
    };
  } catch (error) {
    throw readFault(error, path);
  }
}
