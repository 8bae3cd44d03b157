import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type SelectQueryBuilder,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import type { Dialect, Tables } from "./tables.ts";

export type ActivitySelect<Output> = SelectQueryBuilder<Tables, "activity", Output>;

/** Builds SQL text and its parameters; the stores' own connections run it. */
export function queryBuilder(dialect: Dialect): Kysely<Tables> {
  return dialect === "sqlite" ? SQLITE : POSTGRES;
}

const SQLITE: Kysely<Tables> = new Kysely({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
});
const POSTGRES: Kysely<Tables> = new Kysely({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});
