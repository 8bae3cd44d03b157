import type { ReadDatabase } from "../sql/database.ts";
import { olderLayoutError } from "../sql/migrations.ts";
import { connectUntouched, retryWhileBusy } from "./connection.ts";
import { createDatabase } from "./database.ts";
import { readFault } from "./faults.ts";
import { layoutOf } from "./migrate.ts";

/**
 * Opens a database to view its current content: creates, folds and migrates nothing. Records that are only in
 * journals are not visible.
 * @returns undefined if it has no tables yet
 * @throws ActivityError `DATABASE_UNREADABLE` if it cannot be read without a change, `DATABASE_NEWER`, `DATABASE_BUSY`
 */
export async function openReadOnly(path: string): Promise<ReadDatabase | undefined> {
  try {
    const db = connectUntouched(path);
    try {
      const { isMade, isBehind } = await retryWhileBusy(path, () => layoutOf(db, path, "read"));
      if (!isMade) {
        db.close();
        return undefined;
      }
      if (isBehind) throw olderLayoutError(path);
    } catch (error) {
      db.close();
      throw error;
    }
    return createDatabase(db, path);
  } catch (error) {
    throw readFault(error, path);
  }
}
