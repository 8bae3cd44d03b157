import { migrationStatements, needsMigration, type StatedLayout } from "../sql/migrations.ts";
import { type Connection, inTransaction } from "./connection.ts";
import { prepareRows } from "./row-statement.ts";

const NEXT = ", or choose another data directory with --data-dir or TOUCHSTONE_DATA_DIR";

/** The existing parts, in the form of `sql/migrations.ts`. */
const PARTS = `SELECT type || ' ' || name AS part FROM sqlite_schema
  UNION ALL SELECT 'column ' || t.name || '.' || c.name
    FROM sqlite_schema t JOIN pragma_table_info(t.name) c WHERE t.type = 'table'`;

/** Whether a database has tables, and whether tables or columns of this build are missing. */
export interface Layout {
  readonly isMade: boolean;
  readonly isBehind: boolean;
}

/**
 * @param path of the database, for messages
 * @throws ActivityError `DATABASE_NEWER` if only newer builds may do that
 */
export function layoutOf(db: Connection, path: string, access: "read" | "write"): Layout {
  const stated = statedIn(db);
  const of = { dialect: "sqlite", access, place: path, next: NEXT } as const;
  return { isMade: stated.version > 0, isBehind: needsMigration(stated, of) };
}

/** Updates the tables; if several processes start at once, one does the work. */
export function migrate(db: Connection, path: string): void {
  if (!layoutOf(db, path, "write").isBehind) return;
  inTransaction(db, "IMMEDIATE", () => {
    // Checked again: another process may have done the work while this one waited for the lock.
    if (!layoutOf(db, path, "write").isBehind) return;
    const parts = prepareRows(db, PARTS).all([]) as { part: string }[];
    const found = new Set(parts.map(({ part }) => part));
    for (const statement of migrationStatements("sqlite", found, statedIn(db))) db.exec(statement);
  });
}

function statedIn(db: Connection): StatedLayout {
  const [row] = db.prepare("PRAGMA user_version").all([]) as { user_version: number }[];
  const version = row?.user_version ?? 0;
  const table = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'version'";
  if (db.prepare(table).all([]).length === 0) return { version };
  const [stated] = prepareRows(db, "SELECT layout, reader, writer FROM version").all([]);
  return { version, ...(stated as Omit<StatedLayout, "version"> | undefined) };
}
