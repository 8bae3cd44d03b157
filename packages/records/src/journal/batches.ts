import type { ActivityRecord } from "../record.ts";

const LINE_FEED = 0x0a;
const SPACE = 0x20;

/** Records that were committed in one batch. */
export interface Batch {
  /** Chain position of the first record. */
  readonly seq: number;
  /** Unchecked: the file may be damaged. */
  readonly records: readonly ActivityRecord[];
}

/** Returns the end of the last complete line; 0 if there is none. */
export function wholeLines(bytes: Uint8Array): number {
  return bytes.lastIndexOf(LINE_FEED) + 1;
}

/** Reads the batches in complete lines. A damaged line is skipped: the gap is visible in the chain. */
export function* decodeBatches(bytes: Buffer): Generator<Batch> {
  let start = 0;
  for (;;) {
    const end = bytes.indexOf(LINE_FEED, start);
    if (end < 0) return;
    const batch = decode(bytes.subarray(start, end));
    if (batch !== undefined) yield batch;
    start = end + 1;
  }
}

function decode(line: Buffer): Batch | undefined {
  const space = line.indexOf(SPACE);
  const seq = Number(line.toString("latin1", 0, Math.max(0, space)));
  if (space < 1 || !Number.isSafeInteger(seq) || seq < 0) return undefined;
  try {
    const records: unknown = JSON.parse(line.toString("utf8", space + 1));
    return Array.isArray(records) ? { seq, records } : undefined;
  } catch {
    return undefined;
  }
}
