import { setTimeout as pause } from "node:timers/promises";
import type { Database } from "../database.ts";
import type { ErasedCounts, ErasureScope } from "../kept-part.ts";
import { foldProblems, numberedQueries } from "./fold.ts";

/** The pause between two steps, for other writers. */
const PAUSE_MS = 15;
/** Tables that are made from records, and are filled again. */
const FOLDED = ["problem_chains", "problem_hours", "problem_callers", "problems"];

/**
 * Removes all problems, and counts them again from the records, which are already erased: a place may contain data
 * from the person's arguments. If a gateway is killed during this, it continues later. Decisions of the person are
 * kept without the name.
 */
export async function eraseFromProblems(
  db: Database,
  { column, value }: ErasureScope,
  dryRun: boolean,
): Promise<ErasedCounts> {
  if (dryRun) return {};
  await db.write("problems", async (run) => {
    const ask = numberedQueries(db.dialect, run);
    for (const table of FOLDED) await ask(`DELETE FROM ${table}`);
    if (column !== "caller") return;
    await ask(
      "UPDATE problem_ignores SET caller = NULL, actor = '(erased)', reason = NULL WHERE caller = $1",
      [value],
    );
  });
  while (await foldProblems(db)) await pause(PAUSE_MS);
  return {};
}
