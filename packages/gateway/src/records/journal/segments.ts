import { readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { isDead, OWN_PROCESS, type ProcessIdentity } from "../../util/process-identity.ts";

/**
 * One file of a journal, beside the database: the records of a chain from one position on that are
 * not folded into the database yet. Its name says which process writes it.
 */
export interface Segment extends ProcessIdentity {
  readonly path: string;
  readonly chain: string;
  /** Position in the chain of the first record in it. */
  readonly from: number;
  /** Whether it was flushed to the disk with every batch. */
  readonly flushed: boolean;
}

/**
 * The form of a journal. Builds of the first, whose journals have no number in their names, leave out the fields of a
 * record that they do not know as they move it into the database: they must not see ours. Builds of the second keep
 * them. A build moves no journal of a greater number than its own.
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

/** All segments beside a database, each chain's in order. */
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

/** Returns the names beside a database that a journal would have, of what is not a regular file. */
export function strangeJournals(database: string): readonly string[] {
  const entries = readdirSync(dirname(database), { withFileTypes: true });
  return entries
    .filter((entry) => NAME.test(entry.name) && !entry.isFile())
    .map(({ name }) => name);
}

/** Returns whether any process has left records beside a database, which may not be there itself. */
export function hasJournals(database: string): boolean {
  try {
    return listSegments(database).length > 0;
  } catch {
    // No directory, or none that this user may look into.
    return false;
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** After so long a silence a process begins a new segment, in milliseconds. */
export const SILENCE_MS: number = 24 * 3_600_000;
/** Nobody has written to a segment for so long that nobody will. */
const ABANDONED_MS = 7 * SILENCE_MS;

/**
 * Returns whether nobody writes a segment any more, for certain: its process is dead, or, where it runs on
 * another machine or in another container and cannot be looked for, has been silent for a week.
 */
export function isAbandoned(segment: Segment): boolean {
  return isDead(segment) ?? Date.now() - writtenAt(segment.path) > ABANDONED_MS;
}

function writtenAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
}
