import { readDigests } from "../approval-digest.ts";
import { hasOwnHash } from "../chain.ts";
import { remainderDigest } from "../erased-record.ts";
import type { ActivityRecord } from "../record.ts";
import { changeRecords } from "./change-records.ts";
import type { ReadDatabase, RunQuery } from "./database.ts";

/** The digests of what is left of erased records. */
export type Erasures = ReadonlySet<string>;

/**
 * Reads which records were erased, from the records that erased them. A record that was changed erases nothing; one
 * that was erased itself does if a later one says so.
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

/** Returns whether a record is as it was written, or as it was left when it was erased. */
export function isProved(record: ActivityRecord, erasures: Erasures): boolean {
  if (record.erased !== true) return hasOwnHash(record);
  const digest = remainderDigest(record);
  return digest !== undefined && erasures.has(digest);
}
