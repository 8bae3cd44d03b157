import { afterAll, inject } from "vitest";

type Skip = (reason: string) => never;

declare module "vitest" {
  interface ProvidedContext {
    /** The server on which tests create databases: see `test/postgres-setup.ts`. */
    postgres: string;
  }
}

/**
 * Returns a function that makes an empty database, which is removed after the tests of the file, on the PostgreSQL
 * server that all tests of a run share. Sessions of other tests are visible in `pg_stat_activity` and `pg_locks`, so
 * queries on these must select the test's own database.
 */
export function useDatabases(): (skip: Skip) => Promise<string> {
  const place = inject("postgres");
  const made: string[] = [];
  afterAll(async () => {
    for (const body of made) await fetch(place, { method: "DELETE", body });
  }, 60_000);
  return async (skip) => {
    const response = await fetch(place, { method: "POST" });
    const text = await response.text();
    if (response.status === 503) return skip(`PostgreSQL does not start: ${text}`);
    if (!response.ok) throw new Error(text);
    made.push(text);
    return text;
  };
}
