import { setImmediate as turn } from "node:timers/promises";
import { UNUSED_MS } from "../../contracts/store.ts";
import { type Connection, inTransaction, whileBusy } from "./connection.ts";
import { prepareRows } from "./row-statement.ts";

/** Tools that are removed in one transaction: others wait for no more than some milliseconds. */
const STEP = 200;

/** Removes lists that no scope refers to any more, and the texts that no list does. */
export interface ContractSweep {
  /** Removes those of these lists that are not referred to. */
  lists(lists: Iterable<number>): Promise<void>;
  /** Removes what was not used for {@link UNUSED_MS}, and what killed processes have left. */
  old(now: Date, signal?: AbortSignal): Promise<void>;
}

/** @param path the database's path, for messages */
export function createContractSweep(db: Connection, path: string): ContractSweep {
  const isUsed = prepareRows(db, "SELECT list FROM list_scopes WHERE list = ? LIMIT 1");
  const removeTools = db.prepare(
    `DELETE FROM list_tools WHERE list = ?1 AND tool IN
       (SELECT tool FROM list_tools WHERE list = ?1 ORDER BY tool LIMIT ${STEP})
     RETURNING input, output`,
  );
  const removeSchema = db.prepare(
    `DELETE FROM schemas WHERE id = ?1
       AND NOT EXISTS (SELECT 1 FROM list_tools WHERE input = ?1)
       AND NOT EXISTS (SELECT 1 FROM list_tools WHERE output = ?1)`,
  );
  const removeList = db.prepare("DELETE FROM lists WHERE id = ?");
  const removeScopes = db.prepare("DELETE FROM list_scopes WHERE used < ?");
  const unused = prepareRows(
    db,
    "SELECT id FROM lists WHERE id NOT IN (SELECT list FROM list_scopes)",
  );

  /** Whether there is nothing more to do. Between two steps another process may take the list up. */
  function step(list: number): boolean {
    if (isUsed.all([list]).length > 0) return true;
    const gone = removeTools.all([list]) as { input: number | null; output: number | null }[];
    const schemas = new Set(gone.flatMap(({ input, output }) => [input, output]));
    for (const schema of schemas) if (schema !== null) removeSchema.run([schema]);
    if (gone.length === STEP) return false;
    removeList.run([list]);
    return true;
  }

  async function lists(ids: Iterable<number>, signal?: AbortSignal): Promise<void> {
    for (const list of new Set(ids)) {
      const next = (): boolean => inTransaction(db, "IMMEDIATE", () => step(list));
      while (signal?.aborted !== true && !(await whileBusy(path, next))) await turn();
    }
  }

  return {
    lists,
    async old(now, signal) {
      const before = new Date(now.getTime() - UNUSED_MS).toISOString();
      await whileBusy(path, () => removeScopes.run([before]));
      const left = await whileBusy(path, () => unused.all([]) as { id: number }[]);
      await lists(
        left.map(({ id }) => id),
        signal,
      );
    },
  };
}
