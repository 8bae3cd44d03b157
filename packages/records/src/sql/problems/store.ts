import type { ProblemIgnores } from "../../problems/ignores.ts";
import type { Database } from "../database.ts";
import { numberedQueries } from "./fold.ts";

/** How many decisions a store keeps. Beyond this, those that end first are removed. */
const MOST_IGNORES = 2_000;

const ADD = `INSERT INTO problem_ignores (problem, until, since, actor, caller, reason)
  VALUES ($1, $2, $3, $4, $5, $6)
  ON CONFLICT (problem) DO UPDATE SET until = excluded.until, since = excluded.since,
    actor = excluded.actor, caller = excluded.caller, reason = excluded.reason`;
const BOUND = `DELETE FROM problem_ignores WHERE problem IN (
  SELECT problem FROM problem_ignores ORDER BY until DESC, problem LIMIT 1000000 OFFSET ${MOST_IGNORES})`;

/** Keeps decisions to ignore problems in a database, for all processes that share it. */
export function createProblemIgnores(db: Database): ProblemIgnores {
  return {
    add: ({ problem, until, since, actor, caller, reason }) =>
      db.write("problems", async (run) => {
        const ask = numberedQueries(db.dialect, run);
        const known = await ask("SELECT 1 AS one FROM problems WHERE id = $1", [problem]);
        if (known.length === 0) return false;
        await ask(ADD, [problem, until, since, actor, caller, reason]);
        await ask(BOUND);
        return true;
      }),
    end: (problem, now) =>
      db.write("problems", async (run) => {
        const ask = numberedQueries(db.dialect, run);
        const found = await ask(
          "SELECT 1 AS one FROM problem_ignores WHERE problem = $1 AND until > $2",
          [problem, now],
        );
        await ask("DELETE FROM problem_ignores WHERE problem = $1", [problem]);
        return found.length > 0;
      }),
  };
}
