import { messageOf } from "@touchstone/core/plain";
import type { BodySettings } from "../build.ts";
import { type ActivityEraser, createEraser } from "../erase/eraser.ts";
import { nextId } from "../ids.ts";
import { createPinReader } from "../sql/approvals/reader.ts";
import { keptStores } from "../sql/kept-stores.ts";
import { olderLayoutError } from "../sql/migrations.ts";
import { createPruner } from "../sql/pruner.ts";
import { createReader } from "../sql/reader.ts";
import { tablesOf } from "../sql/tables.ts";
import type { ActivityPruner, ActivityReader, ActivityStore, OpenPins } from "../store.ts";
import { createDatabase } from "./database.ts";
import { findTables, migrate } from "./migrate.ts";
import { type ConnectionPool, openPool, requireUtf8 } from "./pool.ts";
import { createRequestStore } from "./request-store.ts";
import { makeSearchIndex } from "./search-index.ts";
import { createTaskStore } from "./task-store.ts";
import { createWriter } from "./writer.ts";

/**
 * Transactions write the chain one after the other; contracts, tasks and requests use other connections and need not
 * wait.
 */
const WRITING = { connections: 2, statementMs: 10_000 };
const READING = { connections: 4, statementMs: 120_000 };

export interface OpenPostgresOptions {
  /** `postgresql://USER:PASSWORD@HOST:5432/DATABASE`, with optional libpq parameters. */
  readonly url: string;
  /** Absent: arguments and results are not kept. */
  readonly bodies?: BodySettings;
  /** False gives each append its own transaction; default: true. */
  readonly groupCommit?: boolean;
  /** Called with the number of this process's confirmed records that the database has lost. */
  readonly lost?: (records: number) => void;
  /** The clock; the system's by default. */
  readonly now?: () => Date;
}

/**
 * Opens the activity records in a PostgreSQL database (13 or later) for writing and reading, and starts a chain for
 * this process. Any number of gateways may share one database. Creates the tables in schema `touchstone`.
 *
 * @throws ActivityError `BAD_STORE`, `STORE_UNREACHABLE`, `DATABASE_NEWER`
 */
export async function openPostgresStore(options: OpenPostgresOptions): Promise<ActivityStore> {
  const { url, bodies, groupCommit, lost, now = () => new Date() } = options;
  const writing = openPool(url, WRITING);
  await endingOnFault(writing, async () => {
    await requireUtf8(writing);
    await migrate(writing, "write");
  });
  const database = createDatabase(writing);
  const chain = nextId(now());
  const writer = createWriter(writing, { chain, now, bodies, lost, group: groupCommit });
  const reader = createReader(createDatabase(openPool(url, READING)));
  let closed = false;
  return {
    ...reader,
    chain,
    ...keptStores({ db: database, now, log: { reading: () => database, append: writer.append } }),
    tasks: createTaskStore(writing),
    requests: createRequestStore(writing, now),
    append: writer.append,
    writable: writer.writable,
    async close() {
      if (closed) return;
      closed = true;
      await writer.close();
      await reader.close();
      await database.close();
    },
  };
}

/**
 * Opens the records for reading only; creates missing tables.
 *
 * @throws ActivityError as {@link openPostgresStore} does
 */
export async function openPostgresReader({
  url,
}: {
  readonly url: string;
}): Promise<ActivityReader> {
  const pool = openPool(url, READING);
  await endingOnFault(pool, () => migrate(pool, "read"));
  return createReader(createDatabase(pool));
}

/**
 * Opens the approvals for viewing: creates no tables.
 *
 * @returns undefined if there are no tables
 * @throws ActivityError as {@link openPostgresStore} does; `DATABASE_UNREADABLE` for tables of an earlier release
 */
export async function openPostgresPins({
  url,
}: {
  readonly url: string;
}): Promise<OpenPins | undefined> {
  const pool = openPool(url, { ...READING, connections: 1 });
  const database = createDatabase(pool);
  try {
    const found = await findTables(pool);
    if (found === "behind") throw olderLayoutError(pool.place);
    if (found === "none") {
      await database.close();
      return undefined;
    }
    return { ...createPinReader(database), close: () => database.close() };
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** @throws ActivityError as {@link openPostgresStore} does */
export async function openPostgresPruner(options: {
  readonly url: string;
  readonly now?: () => Date;
}): Promise<ActivityPruner> {
  const pool = openPool(options.url, { connections: 1, statementMs: 60_000 });
  await endingOnFault(pool, () => migrate(pool, "write"));
  const now = options.now ?? (() => new Date());
  // It has a separate chain, which begins with the first record.
  const { append } = createWriter(pool, { chain: nextId(now()), now });
  const pruner = createPruner(createDatabase(pool), now, { append });
  let indexing: Promise<boolean> | undefined;
  return {
    ...pruner,
    async rollUp(given) {
      await pruner.rollUp(given);
      indexing ??= makeSearchIndex(options.url);
      await indexing;
    },
    async close() {
      await indexing;
      await pruner.close();
    },
  };
}

/** @throws ActivityError as {@link openPostgresStore} does */
export async function openPostgresEraser(options: {
  readonly url: string;
  readonly now?: () => Date;
}): Promise<ActivityEraser> {
  const pool = openPool(options.url, { connections: 2, statementMs: 60_000 });
  await endingOnFault(pool, () => migrate(pool, "write"));
  const now = options.now ?? (() => new Date());
  const db = createDatabase(pool);
  const { append } = createWriter(pool, { chain: nextId(now()), now });
  const finish = async (): Promise<readonly string[]> => {
    const tables = [...tablesOf("postgres")].flatMap(([name, of]) => (of.isPersonal ? name : []));
    const names = tables.map((name) => `touchstone.${name}`);
    const remains = [
      "PostgreSQL keeps old rows in its files until it reuses their place. To remove them now, run VACUUM FULL on " +
        `${names.join(", ")} and, as a superuser, pg_statistic at a quiet time; ` +
        "its write-ahead log, replicas and backups have them until they are replaced",
    ];
    try {
      // Without ANALYZE, the planner's statistics would still contain the most common names.
      await pool.pool.query(`VACUUM (ANALYZE) ${tables.join(", ")}`);
    } catch (error) {
      const all = `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
      remains.push(`VACUUM (ANALYZE) of ${all} failed: ${messageOf(error)}. Run it as their owner`);
    }
    return remains;
  };
  return createEraser({ db, now, before: async () => {}, append, finish }, () => db.close());
}

async function endingOnFault({ pool }: ConnectionPool, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    await pool.end();
    throw error;
  }
}
