import { join } from "node:path";
import Database from "libsql";
import { sealRecord } from "../chain.ts";
import { DATABASE_FILE, openActivityReader, openActivityStore } from "../open-sqlite.ts";
import type { ActivityEntry, ActivityRecord } from "../record.ts";
import { type VerifyOptions, type VerifyReport, verifyActivity } from "../verify/verify.ts";
import { tempDir } from "./temp-dir.ts";

/** The records that one process has left in its own data directory. */
export interface Recorded {
  readonly dataDir: string;
  readonly chain: string;
  readonly records: readonly ActivityRecord[];
}

/** @param now the clock, read for each entry; by default the system's, read once */
export async function recorded(
  entries: readonly ActivityEntry[],
  now?: () => Date,
): Promise<Recorded> {
  const dataDir = tempDir();
  const store = await openActivityStore({ dataDir, sync: "normal", ...(now ? { now } : {}) });
  const records: ActivityRecord[] = [];
  if (now === undefined) records.push(...(await store.append(entries)));
  else for (const entry of entries) records.push(...(await store.append([entry])));
  const { chain } = store;
  await store.close();
  return { dataDir, chain, records };
}

/** Runs statements on the file, as an attacker could. */
export function tamper(dataDir: string, ...statements: readonly string[]): void {
  const db = new Database(join(dataDir, DATABASE_FILE));
  for (const statement of statements) db.exec(statement);
  db.close();
}

/**
 * Inserts a forged record after another, with the right hashes, at any free position.
 * @param seq an integer as SQLite reads it
 * @returns the forged record's id
 */
export function forge(
  dataDir: string,
  before: ActivityRecord | undefined,
  seq: number | string,
): string {
  if (before === undefined) throw new Error("no record");
  const { hash, prev_hash: _, ...content } = before;
  const forged = sealRecord(hash, { ...content, id: "7ZZZZZZZZZZZZZZZZZZZZZZZZZ" });
  tamper(
    dataDir,
    `CREATE TEMP TABLE forged AS SELECT * FROM activity WHERE id = '${before.id}';
     UPDATE forged SET id = '${forged.id}', hash = '${forged.hash}', prev_hash = '${forged.prev_hash}', seq = ${seq};
     INSERT INTO activity SELECT * FROM forged;`,
  );
  return forged.id;
}

export async function verified(dataDir: string, options?: VerifyOptions): Promise<VerifyReport> {
  const reader = await openActivityReader({ dataDir });
  if (reader === undefined) throw new Error("no records");
  try {
    return await verifyActivity(reader, options);
  } finally {
    await reader.close();
  }
}
