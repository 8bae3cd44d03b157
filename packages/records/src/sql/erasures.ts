import { readDigests } from "../approval-digest.ts";
import { hasOwnHash } from "../chain.ts";
import { remainderDigest } from "../erased-record.ts";
import type { ActivityRecord } from "../record.ts";
import { changeRecords } from "./change-records.ts";
import type { ReadDatabase, RunQuery } from "./database.ts";

/** The digests of what is left of erased records. */
export type Erasures = ReadonlySet<string>;

/**
 * Reads which records were erased, from the records of the erasures. A record that was tampered with is not evidence;
 * one that was itself erased is, if a later one confirms that.
 */
export async function erasuresIn(db: ReadDatabase, run: RunQuery): Promise<Erasures> {
  const found: ActivityRecord[] = [];
  for await (const { record } of changeRecords(db, run)) {
    if (record.erasures !== undefined) found.push(record);
  }
  const erasures = new Set<string>();
  for (const record of found.toReversed()) {
    if (!isProved(record, erasures)) continue;
    for (const { digest } of readDigests(record.erasures ?? "")) erasures.add(digest);
  }
  return erasures;
}

/** Returns whether a record is unchanged, or in the state in which its erasure left it. */
export function isProved(record: ActivityRecord, erasures: Erasures): boolean {
  if (record.erased !== true) return hasOwnHash(record);
  const digest = remainderDigest(record);
  return digest !== undefined && erasures.has(digest);
}
