import { placeOf, storeFault, UNDEFINED_TABLE } from "@touchstone/records/plain";
import { openPool } from "@touchstone/records/postgres/pool";
import { codeOf } from "@touchstone/util";
import { type KnownGateway, SILENT_AFTER_S } from "./gateways.ts";

/** Older reports are ignored. */
const FORGOTTEN_AFTER = "1 day";
const READ = `SELECT id, host, version, configuration, listen, started, seen,
    seen < now() - make_interval(secs => $1) AS silent
  FROM gateways WHERE seen > now() - $2::interval`;

interface Row extends Omit<KnownGateway, "startedAt" | "seenAt" | "state"> {
  readonly started: Date;
  readonly seen: Date;
  readonly silent: boolean;
}

/**
 * Returns the gateways that share the activity store at a PostgreSQL URL, by their reports of the last day. Changes
 * nothing there.
 * @throws ActivityError `BAD_STORE`, `STORE_UNREACHABLE`, `DATABASE_UNREADABLE`
 */
export async function readGateways(url: string): Promise<readonly KnownGateway[]> {
  const { pool } = openPool(url, { connections: 1, statementMs: 10_000 });
  try {
    const { rows } = await pool.query<Row>(READ, [SILENT_AFTER_S, FORGOTTEN_AFTER]);
    return rows.map(({ started, seen, silent, ...row }) => ({
      ...row,
      startedAt: started.toISOString(),
      seenAt: seen.toISOString(),
      state: silent ? "silent" : "running",
    }));
  } catch (error) {
    // The store has not been used by any gateway yet, or only by gateways of versions that do not report themselves.
    if (codeOf(error) === UNDEFINED_TABLE) return [];
    throw storeFault(error, placeOf(url), "read");
  } finally {
    await pool.end();
  }
}
