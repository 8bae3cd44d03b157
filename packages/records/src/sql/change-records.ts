import { setImmediate as turn } from "node:timers/promises";
import type { ActivityRecord } from "../record.ts";
import { queryBuilder } from "./builder.ts";
import type { ReadDatabase, RunQuery } from "./database.ts";
import { type ActivityRow, fromRow } from "./rows.ts";

/** How many rows are read at a time: on SQLite, each statement blocks the event loop until it ends. */
const PAGE = 500;

/** Reads the records of changes, by id. Unreadable ones are skipped: the verification of their chain reports them. */
export async function* changeRecords(
  db: ReadDatabase,
  run: RunQuery,
): AsyncGenerator<{ readonly record: ActivityRecord; readonly chain: string }> {
  const query = queryBuilder(db.dialect)
    .selectFrom("activity")
    .selectAll()
    .where("type", "=", "config_change")
    .orderBy("id")
    .limit(PAGE);
  for (let rows: readonly ActivityRow[] = await run(query.compile()); rows.length > 0; ) {
    for (const row of rows) {
      try {
        yield { record: fromRow(row, db.place), chain: row.chain };
      } catch {
        // As above.
      }
    }
    if (rows.length < PAGE) return;
    await turn();
    rows = await run(query.where("id", ">", rows.at(-1)?.id ?? "").compile());
  }
}
