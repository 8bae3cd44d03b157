import { afterAll, inject } from "vitest";

type Skip = (reason: string) => never;

declare module "vitest" {
  interface ProvidedContext {
    /** Where databases are had: see `test/postgres-setup.ts`. */
    postgres: string;
  }
}

/**
 * Returns what makes an empty database, which goes with the tests of the file, on the PostgreSQL server that all tests
 * of a run share. What others do on the server is visible in `pg_stat_activity` and `pg_locks`: ask for the own database.
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
