import { isRecordId } from "../cursor.ts";
import { advancePastId, idTime } from "../ids.ts";
import { queryBuilder } from "./builder.ts";
import type { ReadDatabase, RunQuery } from "./database.ts";

/** If an id is further ahead than this, its clock was permanently wrong, and it is ignored. */
const MAX_AHEAD_MS = 86_400_000;

/** Returns the id of the newest record; an empty text if there is none. */
export async function newestId(
  { dialect }: Pick<ReadDatabase, "dialect">,
  run: RunQuery,
): Promise<string> {
  const all = queryBuilder(dialect).selectFrom("activity");
  const query = all.select("id").orderBy("id", "desc").limit(1);
  return (await run(query.compile()))[0]?.id ?? "";
}

/**
 * Makes all later records of this process sort after those in the database, even if another process or an earlier one
 * wrote them with a clock that was ahead, by a day at most.
 */
export async function advancePastRecords(db: ReadDatabase, now: Date): Promise<void> {
  const id = await db.read((run) => newestId(db, run));
  if (isRecordId(id) && idTime(id) - now.getTime() <= MAX_AHEAD_MS) advancePastId(id);
}
