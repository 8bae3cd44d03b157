// Reports what a PostgreSQL server on this machine has used and written so far.
import { readdirSync, readFileSync } from "node:fs";
import pg from "pg";
import { cpu } from "../gateway/usage.mjs";

// Counts only transactions that wrote something: only they get an id.
const NUMBERS = `SELECT
    pg_snapshot_xmax(pg_current_snapshot())::text::float8 AS commits,
    pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 AS wal,
    (SELECT sum(fsyncs) FROM pg_stat_io WHERE object = 'wal')::float8 AS syncs`;
const SIZES = `SELECT count(*)::int AS rows,
    count(*) FILTER (WHERE type = 'tool_call')::int AS calls,
    pg_table_size('activity')::float8 AS heap, pg_indexes_size('activity')::float8 AS indexes
  FROM activity`;
const CONNECTIONS = `SELECT count(*)::int AS count FROM pg_stat_activity
  WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() AND datname = current_database()`;

/** The server's count of flushes is up to a second late. */
const LATE_MS = 1_500;
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Watches one database over its own connection. */
export async function watchPostgres(url) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const one = async (sql) => (await client.query(sql)).rows[0];
  const { pid } = await one("SELECT pg_backend_pid() AS pid");
  const [, parent] = /^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  return {
    /** Returns the CPU time of all the server's processes, in milliseconds. */
    cpu: () => processes(parent).reduce((sum, each) => sum + (cpu({ pid: each }) ?? 0), 0),
    async numbers() {
      await pause(LATE_MS);
      return one(NUMBERS);
    },
    sizes: async () => {
      await client.query("SET search_path TO touchstone");
      return one(SIZES);
    },
    connections: async () => (await one(CONNECTIONS)).count,
    version: async () => (await one("SHOW server_version")).server_version,
    close: () => client.end(),
  };
}

/** Returns a process and its children. */
function processes(parent) {
  const isChild = (pid) => {
    try {
      return new RegExp(`^PPid:\\s+${parent}$`, "m").test(
        readFileSync(`/proc/${pid}/status`, "utf8"),
      );
    } catch {
      return false;
    }
  };
  const children = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && isChild(name));
  return [parent, ...children];
}
