import { readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { isProcessDead, OWN_PROCESS, type ProcessIdentity } from "@touchstone/util";

/**
 * One file of a journal, next to the database: the records of a chain from a position on that are not folded yet. Its
 * name identifies the process that writes it.
 */
export interface Segment extends ProcessIdentity {
  readonly path: string;
  readonly chain: string;
  /** Chain position of its first record. */
  readonly from: number;
  /** Whether every batch is flushed to the disk. */
  readonly flushed: boolean;
}

/**
 * The format of a journal. Builds with the first format, whose journal names lack the number, drop unknown fields of
 * a record when they fold it: they must not recognize our journals. Builds with the second format keep unknown
 * fields. A build folds no journal with a number greater than its own.
 */
const FORMAT = 2;

const NAME =
  /^activity-([0-9A-Z]{1,64})\.(\d{1,15})\.(\d{1,10})\.([0-9a-f]{8})(?:\.(\d{1,20}))?(\.full)?(?:\.v(\d{1,4}))?\.jsonl$/;

/** Returns the path of a segment of this process. */
export function ownSegment(
  database: string,
  { chain, from, flushed }: Pick<Segment, "chain" | "from" | "flushed">,
): string {
  const { pid, host, start } = OWN_PROCESS;
  const writer = [pid, host, ...(start === undefined ? [] : [start])].join(".");
  const name = `activity-${chain}.${from}.${writer}${flushed ? ".full" : ""}.v${FORMAT}.jsonl`;
  return join(dirname(database), name);
}

/** Returns all segments next to a database, those of each chain in order. */
export function listSegments(database: string): readonly Segment[] {
  const folder = dirname(database);
  const segments: Segment[] = [];
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    // Opening a pipe would wait forever.
    if (!entry.isFile()) continue;
    const { name } = entry;
    const [, chain, from, pid, host, start, full, format = "1"] = NAME.exec(name) ?? [];
    if (chain === undefined || host === undefined || Number(format) > FORMAT) continue;
    const path = join(folder, name);
    const flushed = full !== undefined;
    segments.push({ path, chain, from: Number(from), pid: Number(pid), host, start, flushed });
  }
  return segments.sort((a, b) => compare(a.chain, b.chain) || a.from - b.from);
}

/** Returns the names of journals next to a database that are not regular files. */
export function irregularJournals(database: string): readonly string[] {
  const entries = readdirSync(dirname(database), { withFileTypes: true });
  return entries
    .filter((entry) => NAME.test(entry.name) && !entry.isFile())
    .map(({ name }) => name);
}

/** Returns whether any process has left journals next to a database, even if the database does not exist. */
export function hasJournals(database: string): boolean {
  try {
    return listSegments(database).length > 0;
  } catch {
    // The directory does not exist, or this user may not read it.
    return false;
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** After how long without a record a process begins a new segment, in milliseconds. */
export const SEGMENT_IDLE_MS: number = 24 * 3_600_000;
/** After this time without a record, a segment is no longer written. */
const ABANDONED_MS = 7 * SEGMENT_IDLE_MS;

/**
 * Returns whether a segment is certainly no longer written: its process is dead or, on another machine or in another
 * container where that cannot be checked, has written nothing for a week.
 */
export function isAbandoned(segment: Segment): boolean {
  return isProcessDead(segment) ?? Date.now() - writtenAt(segment.path) > ABANDONED_MS;
}

function writtenAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
}
