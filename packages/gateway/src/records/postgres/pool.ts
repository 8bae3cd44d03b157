import pg from "pg";
import { ActivityError } from "../errors.ts";
import {
  ALL_RIGHTS,
  grantOf,
  INSUFFICIENT_PRIVILEGE,
  parseUrl,
  placeOf,
  storeFault,
} from "./faults.ts";
import { MIGRATION_LOCK, SCHEMA, STEPS } from "./schema.ts";

const CONNECT_MS = 10_000;
/** The object ids of `bigint` and `numeric`, which come as text; our numbers fit a double. */
const NUMBERS: ReadonlySet<number> = new Set([20, 1700]);

/** Connections to one database. */
export interface Pool {
  readonly pool: pg.Pool;
  /** For messages; without user and password. */
  readonly place: string;
}

/**
 * @param options.connections most connections at the same time
 * @param options.statementMs after how many milliseconds the server ends a statement
 * @throws ActivityError `BAD_STORE`
 */
export function openPool(
  url: string,
  options: { readonly connections: number; readonly statementMs: number },
): Pool {
  const own = parseUrl(url).searchParams.has("statement_timeout");
  const bound = own ? "" : `; SET statement_timeout TO ${options.statementMs}`;
  const pool = new pg.Pool({
    connectionString: url,
    max: options.connections,
    connectionTimeoutMillis: CONNECT_MS,
    // The server's own bound does not help where the server is gone.
    query_timeout: options.statementMs + CONNECT_MS,
    application_name: "touchstone",
    allowExitOnIdle: true,
    // Waited for before the connection is given to anybody. Not said at its start: PgBouncer takes no
    // parameters there that it does not know.
    onConnect: async (client) => {
      await client.query(`SET search_path TO ${SCHEMA}${bound}`);
    },
    types: {
      getTypeParser: ((oid: number, format: "text" | "binary") =>
        NUMBERS.has(oid) ? Number : pg.types.getTypeParser(oid, format as "text")) as never,
    },
  });
  // An idle connection that breaks is replaced by the next one that is asked for.
  pool.on("error", () => {});
  // One in use is told by the next query; where none is under way, nobody else would hear it, and Node
  // would end the process.
  pool.on("connect", (client) => void client.on("error", () => {}));
  return { pool, place: placeOf(url) };
}

/**
 * One record with a text that the database cannot hold would fail all that are written with it.
 *
 * @throws ActivityError `BAD_STORE` for a database that cannot hold every text, `STORE_UNREACHABLE`
 */
export async function refuseEncoding({ pool, place }: Pool): Promise<void> {
  let encoding: string | undefined;
  try {
    const { rows } = await pool.query<{ server_encoding: string }>("SHOW server_encoding");
    encoding = rows[0]?.server_encoding;
  } catch (error) {
    throw storeFault(error, place, "read");
  }
  if (encoding === "UTF8" || encoding === "SQL_ASCII") return;
  throw new ActivityError(
    "BAD_STORE",
    `The database ${place} has the encoding ${encoding}, and records hold any text. Make one by ` +
      "CREATE DATABASE name ENCODING 'UTF8' TEMPLATE template0, and name it in activity.store.",
  );
}

/**
 * Brings the schema up to date; of several gateways at once, one does the work. Where there is nothing to
 * do, nothing more is needed than the right to read.
 *
 * @throws ActivityError `DATABASE_NEWER`, `STORE_UNREACHABLE`; `WRITE_FAILED` where it may not be done
 */
export async function migrate({ pool, place }: Pool): Promise<void> {
  try {
    const found = await versionOf(pool);
    if (found > STEPS.length) throw newer(place, found);
    if (found === STEPS.length) return;
    await inTransaction(pool, async (client) => {
      await client.query("SELECT pg_advisory_xact_lock($1)", [MIGRATION_LOCK]);
      await client.query(`CREATE SCHEMA IF NOT EXISTS ${SCHEMA}`);
      await client.query("CREATE TABLE IF NOT EXISTS version (version INTEGER NOT NULL)");
      const { rows } = await client.query<{ version: number }>("SELECT version FROM version");
      const version = rows[0]?.version ?? 0;
      if (version > STEPS.length) throw newer(place, version);
      for (const step of STEPS.slice(version)) await client.query(step);
      if (version === STEPS.length) return;
      await client.query("DELETE FROM version");
      await client.query("INSERT INTO version VALUES ($1)", [STEPS.length]);
    });
  } catch (error) {
    const fault = storeFault(error, place, "write");
    throw fault.code === "WRITE_FAILED" ? unmade(fault, place) : fault;
  }
}

/** The version of the tables that are there; 0 where none are, or this user may not read it. */
async function versionOf(pool: pg.Pool): Promise<number> {
  try {
    const { rows } = await pool.query<{ version: number }>("SELECT version FROM version");
    return rows[0]?.version ?? 0;
  } catch (error) {
    const code: unknown = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === UNDEFINED_TABLE || code === INSUFFICIENT_PRIVILEGE) return 0;
    throw error;
  }
}

const UNDEFINED_TABLE = "42P01";

function unmade({ cause }: ActivityError, place: string): ActivityError {
  const text = cause instanceof Error ? cause.message : String(cause);
  return new ActivityError(
    "WRITE_FAILED",
    `The tables in schema ${SCHEMA} of ${place} could not be made or brought up to date: ${text}. Start ` +
      "touchstone once as a user who may do that. Where they are there and up to date, this one needs no " +
      `more than rights: ${grantOf(ALL_RIGHTS)}, or only SELECT to read.`,
    { cause },
  );
}

function newer(place: string, version: number): ActivityError {
  return new ActivityError(
    "DATABASE_NEWER",
    `The activity store ${place} has schema version ${version}, and this release knows versions up ` +
      `to ${STEPS.length}: a newer release has written it. Update touchstone.`,
  );
}

/** Runs statements as one transaction. */
export async function inTransaction<T>(
  pool: pg.Pool,
  body: (client: pg.PoolClient) => Promise<T>,
  begin = "BEGIN",
): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query(begin);
    const result = await body(client);
    await client.query("COMMIT");
    return result;
  } catch (error) {
    // A connection that cannot even roll back is thrown away.
    await client.query("ROLLBACK").catch((fault: Error) => {
      broken = fault;
    });
    throw error;
  } finally {
    client.release(broken);
  }
}
