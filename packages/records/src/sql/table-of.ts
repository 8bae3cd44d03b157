import { type RawBuilder, sql } from "kysely";
import type { Dialect } from "./tables.ts";

/** Returns rows of texts as a subquery, which the database reads once per query. */
export function tableOf(
  dialect: Dialect,
  rows: readonly (readonly string[])[],
): RawBuilder<unknown> {
  const columns = (rows[0] ?? []).map((_, at) => sql`value ->> ${sql.lit(at)}`);
  if (dialect === "sqlite") {
    return sql`(SELECT ${sql.join(columns)} FROM json_each(${JSON.stringify(rows)}))`;
  }
  // PostgreSQL cannot store such texts, and refuses them in JSON.
  const kept = rows.filter((row) =>
    row.every((text) => text.isWellFormed() && !text.includes("\0")),
  );
  return sql`(SELECT ${sql.join(columns)} FROM json_array_elements(${JSON.stringify(kept)}::json))`;
}
