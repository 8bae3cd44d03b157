import { rollUpCallers } from "./callers/rollup.ts";
import type { Database } from "./database.ts";
import { rollUp } from "./rollup.ts";

/** The tables of counts, each with what adds records to it. */
const ROLLUPS = [rollUp, rollUpCallers] as const;

/**
 * Adds records that came since the last time to each table of counts, some thousand of them.
 * @param chain counts this one only
 * @returns whether there may be more
 */
export async function rollUpStep(db: Database, chain?: string): Promise<boolean> {
  let more = false;
  for (const rollUpInto of ROLLUPS) more = (await rollUpInto(db, chain)) || more;
  return more;
}
