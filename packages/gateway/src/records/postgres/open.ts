import type { BodySettings } from "../build.ts";
import { nextId } from "../ids.ts";
import { createReader } from "../sql/reader.ts";
import type { ActivityPruner, ActivityReader, ActivityStore } from "../store.ts";
import { createContractStore } from "./contract-store.ts";
import { createDriftStore } from "./drift-store.ts";
import { migrate, openPool, refuseEncoding } from "./pool.ts";
import { createPruner } from "./pruner.ts";
import { createReadDatabase } from "./read-database.ts";
import { createRequestStore } from "./request-store.ts";
import { createTaskStore } from "./task-store.ts";
import { createWriter } from "./writer.ts";

/** The chain is written by one transaction after the other; contracts, tasks and requests need not wait for them. */
const WRITING = { connections: 2, statementMs: 10_000 };
const READING = { connections: 4, statementMs: 120_000 };

export interface OpenPostgresOptions {
  /** `postgresql://USER:PASSWORD@HOST:5432/DATABASE`; libpq's parameters may follow. */
  readonly url: string;
  /** Absent: arguments and results are not kept. */
  readonly bodies?: BodySettings;
  /** False gives each append a transaction of its own; true by default. */
  readonly groupCommit?: boolean;
  /** Told how many records of this process are gone that the database had answered for. */
  readonly lost?: (records: number) => void;
  /** The clock; the system's by default. */
  readonly now?: () => Date;
}

/**
 * Opens the activity records in a PostgreSQL database (13 or later) for writing and reading, and
 * starts a chain for this process. Any number of gateways may share one database. The tables are made
 * in schema `touchstone`.
 *
 * @throws ActivityError `BAD_STORE`, `STORE_UNREACHABLE`, `DATABASE_NEWER`
 */
export async function openPostgresStore(options: OpenPostgresOptions): Promise<ActivityStore> {
  const { url, bodies, groupCommit, lost, now = () => new Date() } = options;
  const writing = openPool(url, WRITING);
  try {
    await refuseEncoding(writing);
    await migrate(writing);
  } catch (error) {
    await writing.pool.end();
    throw error;
  }
  const chain = nextId(now());
  const writer = createWriter(writing, { chain, now, bodies, lost, group: groupCommit });
  const reader = createReader(createReadDatabase(openPool(url, READING)));
  let closed = false;
  return {
    ...reader,
    chain,
    contracts: createContractStore(writing, now),
    shapes: createDriftStore(writing, now),
    tasks: createTaskStore(writing),
    requests: createRequestStore(writing, now),
    append: writer.append,
    writable: writer.writable,
    async close() {
      if (closed) return;
      closed = true;
      await writer.close();
      await reader.close();
      await writing.pool.end();
    },
  };
}

/**
 * Opens the records for reading only; the tables are made where they are missing.
 *
 * @throws ActivityError as {@link openPostgresStore} does
 */
export async function openPostgresReader({
  url,
}: {
  readonly url: string;
}): Promise<ActivityReader> {
  const pool = openPool(url, READING);
  try {
    await migrate(pool);
  } catch (error) {
    await pool.pool.end();
    throw error;
  }
  return createReader(createReadDatabase(pool));
}

/** @throws ActivityError as {@link openPostgresStore} does */
export async function openPostgresPruner(options: {
  readonly url: string;
  readonly now?: () => Date;
}): Promise<ActivityPruner> {
  const pool = openPool(options.url, { connections: 1, statementMs: 60_000 });
  try {
    await migrate(pool);
  } catch (error) {
    await pool.pool.end();
    throw error;
  }
  return createPruner(pool, options.now ?? (() => new Date()));
}
