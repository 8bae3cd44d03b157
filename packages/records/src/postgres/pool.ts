import pg from "pg";
import { ActivityError } from "../errors.ts";
import { databaseUrl, placeOf, SCHEMA, storeFault } from "./faults.ts";

const CONNECT_MS = 10_000;
/** The object ids of `bigint` and `numeric`, which the client returns as text; our numbers fit into a double. */
const NUMBERS: ReadonlySet<number> = new Set([20, 1700]);

/**
 * The planner's cost of reading a random page, if the next page costs 1. With the default of 4, which suits a
 * rotating disk, PostgreSQL reads and sorts all records of a tool, although the latest entries of an index would be
 * enough.
 */
const PAGE_COST = 1.1;

/** Connections to one database. */
export interface ConnectionPool {
  readonly pool: pg.Pool;
  /** The address for messages, without user and password. */
  readonly place: string;
}

/**
 * @param options.connections most concurrent connections
 * @param options.statementMs the server ends a statement after this many milliseconds
 * @throws ActivityError `BAD_STORE`
 */
export function openPool(
  url: string,
  options: { readonly connections: number; readonly statementMs: number },
): ConnectionPool {
  const own = databaseUrl(url).searchParams.has("statement_timeout");
  const bound = own ? "" : `; SET statement_timeout TO ${options.statementMs}`;
  const pool = new pg.Pool({
    connectionString: url,
    max: options.connections,
    connectionTimeoutMillis: CONNECT_MS,
    // The server's own limit does not help if the server is gone.
    query_timeout: options.statementMs + CONNECT_MS,
    application_name: "touchstone",
    allowExitOnIdle: true,
    // Awaited before the connection is used. Not set in the startup message: PgBouncer rejects unknown startup
    // parameters.
    onConnect: async (client) => {
      await client.query(
        `SET search_path TO ${SCHEMA}; SET random_page_cost TO ${PAGE_COST}${bound}`,
      );
    },
    types: {
      getTypeParser: ((oid: number, format: "text" | "binary") =>
        NUMBERS.has(oid) ? Number : pg.types.getTypeParser(oid, format as "text")) as never,
    },
  });
  // The next request for a connection replaces an idle one that broke.
  pool.on("error", () => {});
  // If a connection in use breaks, the next query reports it; without a listener, an error between queries would end
  // the process.
  pool.on("connect", (client) => void client.on("error", () => {}));
  return { pool, place: placeOf(url) };
}

/**
 * A record with a text that the database cannot store would make all records fail that are written with it.
 *
 * @throws ActivityError `BAD_STORE` for a database that cannot hold every text, `STORE_UNREACHABLE`
 */
export async function requireUtf8({ pool, place }: ConnectionPool): Promise<void> {
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
    // A connection that cannot even roll back is discarded.
    await client.query("ROLLBACK").catch((fault: Error) => {
      broken = fault;
    });
    throw error;
  } finally {
    client.release(broken);
  }
}
