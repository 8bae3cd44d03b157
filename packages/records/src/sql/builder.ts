import {
  type AliasedRawBuilder,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type RawBuilder,
  type SelectQueryBuilder,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
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

/** In every row of a grouped query: the number of all groups, including those beyond its limit. */
export const groupCount: AliasedRawBuilder<number, "groups"> = sql<number>`count(*) OVER ()`.as(
  "groups",
);

/** Returns an order by columns with absent values first, because the two databases differ in that. */
export function nullsFirstOrder(columns: readonly string[]): RawBuilder<unknown> {
  return sql.join(columns.map((column) => sql`coalesce(${sql.ref(column)}, '')`));
}
