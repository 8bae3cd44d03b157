import { isRecordId } from "../../cursor.ts";
import { idTime } from "../../ids.ts";
import { type Database, plainQuery } from "../database.ts";
import { hourOf } from "../hours.ts";
import { LAST_REMOVED_ID_SQL } from "../rollup.ts";
import { numberedQueries } from "./fold.ts";

/**
 * Removes the counts of the hours whose records retention has removed completely, problems and callers that were last
 * seen then, and expired decisions to ignore problems.
 */
export async function sweepProblems(db: Database, now: Date): Promise<void> {
  const { dialect } = db;
  const [removed] = await db.read((run) =>
    run<{ readonly id: string | null }>(plainQuery(LAST_REMOVED_ID_SQL)),
  );
  const id = removed?.id ?? null;
  const hour = id === null || !isRecordId(id) ? "" : hourOf(new Date(idTime(id)));
  const old: readonly (readonly [table: string, column: string, bound: string])[] = [
    ["problem_hours", "hour", hour],
    ["problem_callers", "last", hour],
    ["problems", "last", hour],
    ["problem_ignores", "until", now.toISOString()],
  ];
  for (const [table, column, bound] of old) {
    const rows = `FROM ${table} WHERE ${column} < $1`;
    // Usually there are none, so the lock is not needed.
    const some = await db.read((run) =>
      numberedQueries(dialect, run)(`SELECT 1 AS one ${rows} LIMIT 1`, [bound]),
    );
    if (some.length === 0) continue;
    await db.write("problems", (run) => numberedQueries(dialect, run)(`DELETE ${rows}`, [bound]));
  }
}
