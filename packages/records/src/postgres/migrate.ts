import { messageOf } from "@touchstone/core/plain";
import { codeOf } from "@touchstone/util";
import type pg from "pg";
import { ActivityError } from "../errors.ts";
import { migrationStatements, needsMigration, type StatedLayout } from "../sql/migrations.ts";
import {
  ALL_RIGHTS,
  grantStatements,
  INSUFFICIENT_PRIVILEGE,
  SCHEMA,
  storeFault,
  UNDEFINED_TABLE,
} from "./faults.ts";
import { type ConnectionPool, inTransaction } from "./pool.ts";

/** Serializes migrations, including those of earlier builds. */
const MIGRATION_LOCK = 7_411_001;

/** The existing tables and columns, in the form of `sql/migrations.ts`. */
const PARTS = `SELECT 'table ' || table_name AS part FROM information_schema.tables
    WHERE table_schema = '${SCHEMA}'
  UNION ALL SELECT 'column ' || table_name || '.' || column_name FROM information_schema.columns
    WHERE table_schema = '${SCHEMA}'
  UNION ALL SELECT 'index ' || indexname FROM pg_indexes WHERE schemaname = '${SCHEMA}'`;
/** Selects all columns, because layouts before 10 have only one. */
const STATED = "SELECT * FROM version";
const NOTHING: StatedLayout = { version: 0 };

/**
 * Updates the tables; if several gateways start at once, one does the work. If nothing needs to change, the right to
 * read is enough.
 *
 * @throws ActivityError `DATABASE_NEWER`, `STORE_UNREACHABLE`; `WRITE_FAILED` if it lacks the right
 */
export async function migrate(
  { pool, place }: ConnectionPool,
  access: "read" | "write",
): Promise<void> {
  const of = { dialect: "postgres", access, place, next: "" } as const;
  try {
    if (!needsMigration(await statedIn(pool), of)) return;
    await inTransaction(pool, async (client) => {
      await client.query("SELECT pg_advisory_xact_lock($1)", [MIGRATION_LOCK]);
      await client.query(`CREATE SCHEMA IF NOT EXISTS ${SCHEMA}`);
      const { rows } = await client.query<{ part: string }>(PARTS);
      const found = new Set(rows.map(({ part }) => part));
      const stated = found.has("table version")
        ? (await client.query<StatedLayout>(STATED)).rows[0]
        : undefined;
      if (!needsMigration(stated ?? NOTHING, of)) return;
      for (const statement of migrationStatements("postgres", found, stated ?? NOTHING)) {
        await client.query(statement);
      }
    });
  } catch (error) {
    const fault = storeFault(error, place, "write");
    throw fault.code === "WRITE_FAILED" ? unmade(fault, place) : fault;
  }
}

/**
 * Returns whether there are tables of this build, without changing them.
 *
 * @throws ActivityError `DATABASE_NEWER`, `STORE_UNREACHABLE`, also if this user may not read them
 */
export async function findTables({
  pool,
  place,
}: ConnectionPool): Promise<"none" | "behind" | "current"> {
  try {
    const { rows } = await pool.query<StatedLayout>(STATED);
    const of = { dialect: "postgres", access: "read", place, next: "" } as const;
    return needsMigration(rows[0] ?? NOTHING, of) ? "behind" : "current";
  } catch (error) {
    if (codeOf(error) === UNDEFINED_TABLE) return "none";
    throw storeFault(error, place, "read");
  }
}

/** Returns the layout that existing tables state; undefined if there are none, or this user may not read it. */
async function statedIn(pool: pg.Pool): Promise<StatedLayout> {
  try {
    const { rows } = await pool.query<StatedLayout>(STATED);
    return rows[0] ?? NOTHING;
  } catch (error) {
    const code = codeOf(error);
    if (code === UNDEFINED_TABLE || code === INSUFFICIENT_PRIVILEGE) return NOTHING;
    throw error;
  }
}

function unmade({ cause }: ActivityError, place: string): ActivityError {
  const text = messageOf(cause);
  return new ActivityError(
    "WRITE_FAILED",
    `The tables in schema ${SCHEMA} of ${place} could not be made or brought up to date: ${text}. Start ` +
      "touchstone once as a user who may do that. Once they are up to date, this user needs only these " +
      `rights: ${grantStatements(ALL_RIGHTS)}, or only SELECT to read.`,
    { cause },
  );
}
