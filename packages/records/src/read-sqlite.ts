import { ActivityError } from "./errors.ts";
import { createFolder } from "./journal/fold.ts";
import type { ReadDatabase, RunQuery } from "./sql/database.ts";
import { type Connection, connect, fileIdentity, rollback } from "./sqlite/connection.ts";
import {
  isFull,
  isReadOnly,
  isUnwritable,
  readFault,
  unfoldableFault,
  unfoldedJournalError,
  writeFault,
} from "./sqlite/faults.ts";
import { createRun } from "./sqlite/statements.ts";

/**
 * Reads over its own connection, which the first query opens. Reads run one after the other, each in a transaction
 * and so in one snapshot; in WAL mode, they and the writers do not wait for each other. Journals are folded first, so
 * that a read sees everything appended before it. A user who may only read the files sees the records that others
 * have folded. On a full disk, the same holds if there is an `onUnfolded`; without it, a full disk is an error.
 * `onUnfolded` is called once, with the reason, and may throw it to refuse the read.
 */
export function openReadDatabase(
  path: string,
  onUnfolded?: (fault: ActivityError) => void,
): ReadDatabase {
  const folder = createFolder(path);
  let open: { readonly db: Connection; readonly file: string; readonly run: RunQuery } | undefined;
  let closed = false;
  let told = false;
  let queue: Promise<unknown> = Promise.resolve();

  async function inSnapshot<T>(body: (run: RunQuery) => Promise<T>): Promise<T> {
    if (closed) {
      throw new ActivityError("CLOSED", `The activity store on ${path} is closed.`);
    }
    await folder.fold().catch((error: unknown) => {
      const mayNot = isReadOnly(error);
      if (mayNot && onUnfolded === undefined) return;
      if (onUnfolded === undefined || !(mayNot || isUnwritable(error))) {
        throw isFull(error) ? writeFault(error, path) : error;
      }
      if (!told)
        onUnfolded(mayNot ? unfoldableFault(error, path) : unfoldedJournalError(error, path));
      told = true;
    });
    if (open !== undefined && open.file !== fileIdentity(path)) {
      open.db.close();
      open = undefined;
    }
    if (open === undefined) {
      const file = fileIdentity(path);
      const db = connect(path, "read");
      open = { db, file, run: createRun(db, path) };
    }
    const { db, run } = open;
    db.exec("BEGIN DEFERRED");
    try {
      return await body(run);
    } finally {
      rollback(db);
    }
  }

  return {
    dialect: "sqlite",
    place: path,
    read(body) {
      const result = queue.then(() => inSnapshot(body));
      queue = result.catch(() => undefined);
      return result.catch((error: unknown) => {
        throw readFault(error, path);
      });
    },
    async close() {
      closed = true;
      await queue;
      folder.close();
      open?.db.close();
      open = undefined;
    },
  };
}
