import { type AliasedRawBuilder, type RawBuilder, sql } from "kysely";

/** In every row of a grouped query: how many groups there are, beyond its limit too. */
export const groups: AliasedRawBuilder<number, "groups"> = sql<number>`count(*) OVER ()`.as(
  "groups",
);

/** The order of columns, what is absent first, which the two databases have at different ends. */
export function inOrder(columns: readonly string[]): RawBuilder<unknown> {
  return sql.join(columns.map((column) => sql`coalesce(${sql.ref(column)}, '')`));
}
