import { randomUUID } from "node:crypto";
import { closeSync, openSync } from "node:fs";
import { join, resolve } from "node:path";
import type { CompiledQuery } from "kysely";
import { plainQuery, type RunQuery } from "./sql/database.ts";
import type { StorePlace } from "./store.ts";

/** How long a reader that has stopped, as after `kill -9`, prevents others from continuing. */
export const LEASE_MS = 15_000;
/** A separate file next to the records of a data directory, so that no fold and no append has to wait for it. */
const FILE = "telemetry.db";

/**
 * A reader's position in the records of a store, kept with the store. Only one of the processes that share the store
 * can hold it at a time.
 */
export interface Bookmark {
  /**
   * Takes the bookmark, or holds it for another {@link LEASE_MS}.
   * @param start the position if the store has no such bookmark yet
   * @returns the position; undefined while another process holds the bookmark
   */
  hold(start: string): Promise<string | undefined>;
  /** Keeps a place. Returns false if another process holds the bookmark. */
  move(position: string): Promise<boolean>;
  /** Lets others take it, and closes the connection. */
  close(): Promise<void>;
}

interface Database {
  /** Parameters are numbered, as in PostgreSQL. */
  readonly run: RunQuery;
  /** The common clock of all that share the store, in milliseconds. */
  readonly now: string;
  close(): Promise<void>;
}

/** PostgreSQL keeps it with its other tables. */
const TABLE = `CREATE TABLE IF NOT EXISTS bookmarks (
  name TEXT PRIMARY KEY, position TEXT NOT NULL, holder TEXT NOT NULL, held_until DOUBLE PRECISION NOT NULL
)`;

/**
 * Opens a bookmark for the records of a place: a SQLite file in the data directory, or a table of the database. The
 * records must have been opened before.
 * @param name of the reader
 * @throws Error if it cannot be opened
 */
export async function openBookmark(place: StorePlace, name: string): Promise<Bookmark> {
  const db = "url" in place ? await postgres(place.url) : await sqlite(place.dataDir);
  const holder = randomUUID();
  const until = `${db.now} + ${LEASE_MS}`;
  // Statements that write must not return text: see `createStatements` in sqlite/statements.ts.
  const wrote = async (sql: string, parameters: readonly string[]): Promise<boolean> =>
    (await db.run(plainQuery(`${sql} RETURNING 1 AS held`, parameters))).length > 0;
  return {
    async hold(start) {
      const isHeld = await wrote(
        `INSERT INTO bookmarks (name, position, holder, held_until) VALUES ($1, $2, $3, ${until})
         ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, held_until = excluded.held_until
         WHERE bookmarks.holder = excluded.holder OR bookmarks.held_until < ${db.now}`,
        [name, start, holder],
      );
      if (!isHeld) return undefined;
      const kept = "SELECT position FROM bookmarks WHERE name = $1 AND holder = $2";
      const [row] = await db.run<Row>(plainQuery(kept, [name, holder]));
      return row?.position;
    },
    move: (position) =>
      wrote(
        `UPDATE bookmarks SET position = $1, held_until = ${until} WHERE name = $2 AND holder = $3`,
        [position, name, holder],
      ),
    async close() {
      try {
        const leave = "UPDATE bookmarks SET held_until = 0 WHERE name = $1 AND holder = $2";
        await wrote(leave, [name, holder]);
      } finally {
        await db.close();
      }
    },
  };
}

interface Row {
  readonly position: string;
}

async function sqlite(dataDir: string): Promise<Database> {
  const { connect, retryWhileBusy } = await import("./sqlite/connection.ts");
  const { createRun } = await import("./sqlite/statements.ts");
  const path = join(resolve(dataDir), FILE);
  closeSync(openSync(path, "a", 0o600));
  const db = connect(path, "write");
  try {
    await retryWhileBusy(path, () => db.exec(TABLE));
  } catch (error) {
    db.close();
    throw error;
  }
  const run = createRun(db, path);
  return {
    // In SQLite, a parameter is a question mark followed by its number.
    run: ({ sql, parameters }) => run(plainQuery(sql.replaceAll("$", "?"), parameters)),
    now: "((julianday('now') - 2440587.5) * 86400000)",
    close: async () => void db.close(),
  };
}

async function postgres(url: string): Promise<Database> {
  const { openPool } = await import("./postgres/pool.ts");
  const { pool } = openPool(url, { connections: 1, statementMs: 10_000 });
  return {
    run: async <Row>({ sql, parameters }: CompiledQuery<Row>) =>
      (await pool.query(sql, [...parameters])).rows as Row[],
    now: "(extract(epoch FROM clock_timestamp()) * 1000)",
    close: () => pool.end(),
  };
}
