import { queryBuilder } from "../builder.ts";
import type { Database } from "../database.ts";

/** Removes sessions that have expired. */
export async function removeExpiredSessions(db: Database, now: Date): Promise<void> {
  const build = queryBuilder(db.dialect);
  const at = now.toISOString();
  const expired = build
    .selectFrom("console_sessions")
    .select("id")
    .where("expires", "<=", at)
    .limit(1);
  // Usually there are none, so the lock is not needed.
  if ((await db.read((run) => run(expired.compile()))).length === 0) return;
  const query = build.deleteFrom("console_sessions").where("expires", "<=", at);
  await db.write("sessions", (run) => run(query.compile()));
}
