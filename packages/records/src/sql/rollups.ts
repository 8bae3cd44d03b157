import { rollUpCallers } from "./callers/rollup.ts";
import type { Database } from "./database.ts";
import { rollUp } from "./rollup.ts";

/** The functions that add records to each of the tables of counts. */
const ROLLUPS = [rollUp, rollUpCallers] as const;

/**
 * Adds new records to each table of counts, some thousand of them.
 * @param chain only counts this chain
 * @returns whether there may be more records
 */
export async function rollUpStep(db: Database, chain?: string): Promise<boolean> {
  let more = false;
  for (const rollUpInto of ROLLUPS) more = (await rollUpInto(db, chain)) || more;
  return more;
}
