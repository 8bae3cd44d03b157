import { afterAll, beforeAll } from "vitest";
import { startPostgres, type TestServer } from "./postgres.ts";

type Skip = (reason: string) => never;

/** A PostgreSQL server for the tests of a file; gives what makes an empty database on it. */
export function useDatabases(): (skip: Skip) => Promise<string> {
  let postgres: TestServer | string = "not started";
  beforeAll(async () => {
    postgres = await startPostgres();
  }, 60_000);
  afterAll(async () => {
    if (typeof postgres !== "string") await postgres.stop();
  }, 60_000);
  return (skip) =>
    typeof postgres === "string"
      ? skip(`PostgreSQL does not start: ${postgres}`)
      : postgres.database();
}
