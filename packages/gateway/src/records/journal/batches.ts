import { sealedText } from "./kind-text.ts";
import type { KnownRecord, ParsedRecord } from "./known-record.ts";
import type { RecordKinds } from "./record-kinds.ts";

const LINE_FEED = 0x0a;
const SPACE = 0x20;
const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;

/** Records that were committed together. */
export interface Batch {
  /** Position in the chain of the first of them. */
  readonly seq: number;
  readonly records: readonly (KnownRecord | ParsedRecord)[];
}

/** Where the last whole line ends; 0 where there is none. */
export function wholeLines(bytes: Uint8Array): number {
  return bytes.lastIndexOf(LINE_FEED) + 1;
}

/**
 * The batches in whole lines. A line that is none, because the disk or somebody damaged it, is left
 * out: the gap shows in the chain.
 *
 * @param kinds those that are known; more of them are learnt
 */
export function* decodeBatches(bytes: Buffer, kinds: RecordKinds): Generator<Batch> {
  let start = 0;
  for (;;) {
    const end = bytes.indexOf(LINE_FEED, start);
    if (end < 0) return;
    const batch = decode(bytes.subarray(start, end), kinds);
    if (batch !== undefined) yield batch;
    start = end + 1;
  }
}

function decode(line: Buffer, kinds: RecordKinds): Batch | undefined {
  const space = line.indexOf(SPACE);
  const seq = Number(line.toString("latin1", 0, Math.max(0, space)));
  if (space < 1 || !Number.isSafeInteger(seq) || seq < 0) return undefined;
  const records = readRecords(line.toString("utf8", space + 1), kinds);
  return records && { seq, records };
}

/** What `JSON.parse` would give for an array of records; it is asked only where one is not recognised. */
function readRecords(text: string, kinds: RecordKinds): Batch["records"] | undefined {
  if (text.charCodeAt(0) !== OPEN_ARRAY) return undefined;
  const records: (KnownRecord | ParsedRecord)[] = [];
  let all: readonly ParsedRecord[] | undefined;
  for (let at = 1; ; at += 1) {
    const known = kinds.match(text, at);
    if (known !== undefined) {
      records.push(known);
      at = kinds.end;
    } else {
      all ??= parse(text);
      const record = all?.[records.length];
      if (all === undefined || record === undefined) return all;
      const written = kinds.learn(record.parsed) ? sealedText(record.parsed) : undefined;
      // Those behind it are not looked for where it is long, or nobody knows where it ends.
      if (written === undefined || text.slice(at, at + written.length) !== written) return all;
      records.push(record);
      at += written.length;
    }
    const next = text.charCodeAt(at);
    if (next === CLOSE_ARRAY && at + 1 === text.length) return records;
    if (next !== COMMA) return parse(text);
  }
}

function parse(text: string): readonly ParsedRecord[] | undefined {
  try {
    const records: unknown = JSON.parse(text);
    return Array.isArray(records) ? records.map((parsed) => ({ parsed })) : undefined;
  } catch {
    return undefined;
  }
}
