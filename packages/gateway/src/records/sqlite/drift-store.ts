import { merge, roomFor } from "../../drift/shape.ts";
import { readShape, sealShape } from "../../drift/shape-text.ts";
import { type DriftEntry, type DriftStore, MAX_SCHEMAS } from "../../drift/store.ts";
import { type Connection, inTransaction, whileBusy } from "./connection.ts";
import { prepareRows } from "./row-statement.ts";

/**
 * Keeps the shapes of results in the database of the data directory.
 * @param path the database's path, for messages
 */
export function createDriftStore(db: Connection, path: string, now: () => Date): DriftStore {
  const select = prepareRows(
    db,
    "SELECT shape FROM drift WHERE server = ? AND tool = ? AND schema_hash = ?",
  );
  const upsert = db.prepare(
    `INSERT INTO drift (server, tool, schema_hash, schema, shape, since, until)
     VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (server, tool, schema_hash) DO UPDATE SET
       shape = excluded.shape, until = excluded.until`,
  );
  const forget = db.prepare(
    `DELETE FROM drift WHERE rowid IN (SELECT rowid FROM drift WHERE server = ? AND tool = ?
       AND schema_hash <> ? ORDER BY until DESC, schema_hash LIMIT -1 OFFSET ${MAX_SCHEMAS - 1})`,
  );

  function put({ server, tool, schemaHash, schema, shape }: DriftEntry): void {
    const key = [server, tool, schemaHash] as const;
    const [row] = select.all([...key]) as { readonly shape: string }[];
    const whole = readShape(row?.shape ?? "{}");
    merge(whole, shape, roomFor(whole));
    const time = now().toISOString();
    upsert.run([...key, schema, sealShape(whole, key), time, time]);
    // A server may declare another schema each time that it is asked.
    if (row === undefined) forget.run([...key]);
  }

  return {
    add: (entries) =>
      whileBusy(path, () => inTransaction(db, "IMMEDIATE", () => entries.forEach(put))),
  };
}
