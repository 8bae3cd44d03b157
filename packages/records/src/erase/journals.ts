import { closeSync, fstatSync, fsyncSync, openSync, readSync, writeSync } from "node:fs";
import { setImmediate as turn } from "node:timers/promises";
import { codeOf } from "@touchstone/util";
import { decodeBatches, wholeLines } from "../journal/batches.ts";
import { listSegments } from "../segments.ts";

/** How many bytes to read at a time, unless a line is longer. */
const STEP_BYTES = 512 * 1024;
const SPACE = 0x20;
const LINE_FEED = 0x0a;

/**
 * Overwrites lines of journals with spaces. Their process may continue to append after them; readers of the journal
 * skip such lines.
 *
 * @param folded how many records of each chain are in the database: only lines of these are overwritten
 * @param isErased whether to erase a record
 * @throws the error of the file system
 */
export async function wipeJournals(
  database: string,
  folded: ReadonlyMap<string, number>,
  isErased: (record: unknown) => boolean,
): Promise<void> {
  for (const { path, chain } of listSegments(database)) {
    const fd = openToWrite(path);
    if (fd === undefined) continue;
    try {
      await wipe(fd, folded.get(chain) ?? 0, isErased);
    } finally {
      closeSync(fd);
    }
  }
}

function openToWrite(path: string): number | undefined {
  try {
    return openSync(path, "r+");
  } catch (error) {
    // Another process has folded and removed the journal in the meantime.
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

async function wipe(
  fd: number,
  folded: number,
  isErased: (record: unknown) => boolean,
): Promise<void> {
  const { size } = fstatSync(fd);
  let isChanged = false;
  for (let at = 0, length = STEP_BYTES; at < size; ) {
    const bytes = Buffer.allocUnsafe(Math.min(length, size - at));
    const read = readSync(fd, bytes, 0, bytes.length, at);
    const end = wholeLines(bytes.subarray(0, read));
    if (end === 0) {
      // The line is longer than that, or its process is still writing it.
      if (at + length >= size) break;
      length *= 4;
      continue;
    }
    for (let start = 0; start < end; ) {
      const stop = bytes.indexOf(LINE_FEED, start);
      const [batch] = decodeBatches(bytes.subarray(start, stop + 1));
      const isIn = batch !== undefined && batch.seq + batch.records.length <= folded;
      if (isIn && batch.records.some(isErased)) {
        writeSync(fd, Buffer.alloc(stop - start, SPACE), 0, stop - start, at + start);
        isChanged = true;
      }
      start = stop + 1;
    }
    at += end;
    length = STEP_BYTES;
    await turn();
  }
  if (isChanged) fsyncSync(fd);
}
