import { closeSync, constants, fstatSync, openSync, readSync, unlinkSync } from "node:fs";
import { codeOf, lateImport } from "@touchstone/util";
import { isAbandoned, listSegments, type Segment } from "../segments.ts";
import type { Database } from "../sql/database.ts";
import { rollUpStep } from "../sql/rollups.ts";
import { type Connection, connect, fileIdentity, retryWhileBusy } from "../sqlite/connection.ts";
import { createDatabase } from "../sqlite/database.ts";
import { replacedFault } from "../sqlite/faults.ts";
import { decodeBatches, wholeLines } from "./batches.ts";
import { createRecordTable, type RecordTable } from "./record-table.ts";

const problems = lateImport(() => import("../sql/problems/fold.ts"));

/** The size of one transaction: others wait for at most some tens of milliseconds. */
const STEP_BYTES = 512 * 1024;

export interface FoldOptions {
  /** Folds only this chain and those of dead processes. */
  readonly chain?: string;
  /** Whether the chain is complete, so that nothing is appended to it anymore. */
  readonly ended?: boolean;
  /** How long to wait for other writers, in milliseconds. */
  readonly limitMs?: number;
  /** About how many bytes to fold; default: all. */
  readonly maxBytes?: number;
}

/** Moves records from the journals next to a database into the database. */
export interface JournalFolder {
  /**
   * Folds everything that any process had appended before this call. Any number of processes and threads may fold at
   * the same time: each record is added once.
   *
   * @returns the remaining bytes of each journal, by chain
   * @throws ActivityError `DATABASE_BUSY`; the error of SQLite or of the file system unchanged
   */
  fold(options?: FoldOptions): Promise<ReadonlyMap<string, number>>;
  close(): void;
}

/** Creates a folder for an existing database. It connects when there is a first record to fold. */
export function createFolder(database: string): JournalFolder {
  /** The position up to which each segment is folded. */
  const folded = new Map<string, number>();
  let db: Connection | undefined;
  let file = "";
  let table: RecordTable | undefined;
  let rollup: Database | undefined;
  let flushes: boolean | undefined;

  function open({ flushed }: Segment): RecordTable {
    if (db === undefined) {
      file = fileIdentity(database);
      db = connect(database, "write");
      rollup = createDatabase(db, database);
    }
    // The segment will be removed, so its records in the database must be as durable as they were in the segment.
    if (flushes !== flushed) db.exec(`PRAGMA synchronous = ${flushed ? "FULL" : "NORMAL"}`);
    flushes = flushed;
    table ??= createRecordTable(db);
    return table;
  }

  /** Never rejects: records that are not in the rollup are counted one by one, and the next fold tries again. */
  async function rollUpQuietly(chain: string): Promise<void> {
    try {
      while (rollup !== undefined && (await rollUpStep(rollup, chain)));
      const { foldProblems } = await problems();
      while (rollup !== undefined && (await foldProblems(rollup, chain)));
    } catch {
      // As above.
    }
  }

  /** Closes a database that was removed or replaced: its records are now only in journals. */
  function leaveGone(): boolean {
    if (db === undefined || fileIdentity(database) === file) return false;
    close();
    folded.clear();
    return true;
  }

  function close(): void {
    db?.close();
    db = undefined;
    table = undefined;
    rollup = undefined;
    flushes = undefined;
  }

  /** Returns how many bytes were processed, and how many remain. */
  async function foldSegment(
    segment: Segment,
    { limitMs, maxBytes }: { readonly limitMs: number | undefined; readonly maxBytes: number },
  ): Promise<{ readonly bytes: number; readonly left: number }> {
    const fd = openSegment(segment.path);
    if (fd === undefined) return { bytes: 0, left: 0 };
    try {
      const { size } = fstatSync(fd);
      const start = folded.get(segment.path) ?? 0;
      let at = start;
      while (at < size && at - start < maxBytes) {
        const lines = readLines(fd, at, size);
        if (lines.length === 0) break;
        const batches = [...decodeBatches(lines)];
        const { add } = open(segment);
        if (batches.length > 0) {
          await retryWhileBusy(database, () => add(segment.chain, batches), limitMs);
        }
        at += lines.length;
        folded.set(segment.path, at);
      }
      // Once for all steps, because each run has a fixed cost. Skipped at the end of a process, so that nobody has to
      // wait; the next process does the work.
      if (at > start && limitMs === undefined) await rollUpQuietly(segment.chain);
      return { bytes: at - start, left: size - at };
    } finally {
      closeSync(fd);
    }
  }

  return {
    async fold({ chain: own, ended, limitMs, maxBytes = Number.POSITIVE_INFINITY } = {}) {
      leaveGone();
      const segments = listSegments(database);
      const leftOf = new Map<string, number>();
      let budget = maxBytes;
      const lastOf = new Map(segments.map(({ chain, from }) => [chain, from]));
      for (const segment of segments) {
        const { chain, path, from } = segment;
        // Checked before the file's end is read: if it is the last segment then, nothing can have been appended after
        // it.
        const isLast = from === lastOf.get(chain);
        const isDead = chain === own ? ended === true : isAbandoned(segment);
        if (own !== undefined && chain !== own && !isDead) continue;
        const { bytes, left } = await foldSegment(segment, { limitMs, maxBytes: budget });
        budget -= bytes;
        leftOf.set(chain, (leftOf.get(chain) ?? 0) + left);
        if ((isLast && !isDead) || (left > 0 && budget <= 0)) continue;
        if (leaveGone()) throw replacedFault(database);
        remove(path);
        folded.delete(path);
      }
      return leftOf;
    },
    close,
  };
}

/** Undefined if another process has folded and removed it in the meantime, or has replaced it. */
function openSegment(path: string): number | undefined {
  try {
    // The file may have been replaced by a pipe since it was listed, and opening that must not block.
    const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    if (fstatSync(fd).isFile()) return fd;
    closeSync(fd);
    return undefined;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Another process was faster, or will do it later.
  }
}

/** Returns complete lines from a position on: about {@link STEP_BYTES} of them, or one longer line. */
function readLines(fd: number, at: number, size: number): Buffer {
  for (let length = STEP_BYTES; ; length *= 4) {
    const bytes = Buffer.allocUnsafe(Math.min(length, size - at));
    const read = readSync(fd, bytes, 0, bytes.length, at);
    const end = wholeLines(bytes.subarray(0, read));
    if (end > 0 || at + length >= size) return bytes.subarray(0, end);
  }
}
