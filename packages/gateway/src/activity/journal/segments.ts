import { createHash } from "node:crypto";
import { readdirSync, readlinkSync, statSync } from "node:fs";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { processStat } from "../../process-stat.ts";

/**
 * One file of a journal, beside the database: the records of a chain from one position on that are
 * not folded into the database yet.
 */
export interface Segment {
  readonly path: string;
  readonly chain: string;
  /** Position in the chain of the first record in it. */
  readonly from: number;
  /** The process that writes it. */
  readonly pid: number;
  /** Names the machine or container that the process runs on, without telling its name. */
  readonly host: string;
  /** When that process started, as {@link processStat} tells; undefined where that was not known. */
  readonly start: string | undefined;
  /** Whether it was flushed to the disk with every batch. */
  readonly flushed: boolean;
}

const NAME =
  /^activity-([0-9A-Z]{1,64})\.(\d{1,15})\.(\d{1,10})\.([0-9a-f]{8})(?:\.(\d{1,20}))?(\.full)?\.jsonl$/;
const HOST = createHash("sha256")
  .update(hostname() + pidNamespace())
  .digest("hex")
  .slice(0, 8);
const OWN_START = processStat(process.pid)?.start;

/**
 * Names that among which process ids are told apart: containers may share the host's name (`--network
 * host`), and the ids in them are other ones.
 */
function pidNamespace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    // Not Linux, or nothing to look into.
    return "";
  }
}

/** The path of a segment of this process. */
export function ownSegment(
  database: string,
  { chain, from, flushed }: Pick<Segment, "chain" | "from" | "flushed">,
): string {
  const writer = [process.pid, HOST, ...(OWN_START === undefined ? [] : [OWN_START])].join(".");
  const name = `activity-${chain}.${from}.${writer}${flushed ? ".full" : ""}.jsonl`;
  return join(dirname(database), name);
}

/** All segments beside a database, each chain's in order. */
export function listSegments(database: string): readonly Segment[] {
  const folder = dirname(database);
  const segments: Segment[] = [];
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    // Opening a pipe would wait for ever.
    if (!entry.isFile()) continue;
    const { name } = entry;
    const [, chain, from, pid, host, start, full] = NAME.exec(name) ?? [];
    if (chain === undefined || host === undefined) continue;
    const path = join(folder, name);
    const flushed = full !== undefined;
    segments.push({ path, chain, from: Number(from), pid: Number(pid), host, start, flushed });
  }
  return segments.sort((a, b) => compare(a.chain, b.chain) || a.from - b.from);
}

/** The names beside a database that a journal would have, of what is not a regular file. */
export function strangeJournals(database: string): readonly string[] {
  const entries = readdirSync(dirname(database), { withFileTypes: true });
  return entries
    .filter((entry) => NAME.test(entry.name) && !entry.isFile())
    .map(({ name }) => name);
}

/** Whether any process has left records beside a database, which may not be there itself. */
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
 * Whether nobody writes a segment any more, for certain: its process is dead, or, where it runs on
 * another machine or in another container and cannot be looked for, has been silent for a week.
 */
export function isAbandoned({ path, pid, host, start }: Segment): boolean {
  if (host !== HOST) return Date.now() - writtenAt(path) > ABANDONED_MS;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ESRCH") return true;
    // It is another user's, who may not be asked for it.
  }
  // Its id may have gone to another: in a container each start has the id 1.
  const running = processStat(pid)?.start;
  return start !== undefined && running !== undefined && start !== running;
}

function writtenAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
}
