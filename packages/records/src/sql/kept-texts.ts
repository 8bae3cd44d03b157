import { sql } from "kysely";
import { queryBuilder } from "./builder.ts";
import { matchesHash } from "./contracts/lists.ts";
import type { ReadDatabase, RunQuery } from "./database.ts";
import { shownText } from "./shown-text.ts";

/** How many texts to read at a time: each may have some megabytes. */
export const TEXTS_AT_A_TIME = 20;

/**
 * Compares the texts of a table with their hashes, because people see them before they approve.
 * @param key the columns of the table's key, which include `server` and `hash`
 */
export async function textHashFaults(
  db: ReadDatabase,
  run: RunQuery,
  table: string,
  key: readonly string[],
): Promise<readonly string[]> {
  const faults: string[] = [];
  const columns = sql.join(key.map((name) => sql.ref(name)));
  for (let after = sql``; ; ) {
    const step = sql<Readonly<Record<string, unknown>> & { hash: string; server: string }>`
      SELECT ${columns}, text FROM ${sql.table(table)} WHERE text IS NOT NULL ${after}
      ORDER BY ${columns} LIMIT ${sql.lit(TEXTS_AT_A_TIME)}`;
    const rows = await run(step.compile(queryBuilder(db.dialect)));
    for (const { hash, server, text } of rows) {
      if (matchesHash(hash, Buffer.from(text as ArrayBuffer))) continue;
      faults.push(
        `table ${table}: the text of ${shownText(hash)} of ${shownText(server)} does not match its hash. It is not used`,
      );
    }
    const last = rows.at(-1);
    if (rows.length < TEXTS_AT_A_TIME || last === undefined) return faults;
    after = sql`AND (${columns}) > (${sql.join(key.map((name) => last[name]))})`;
  }
}
