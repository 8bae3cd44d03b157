import {
  closeSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { replaceFile } from "@touchstone/gateway/config";
import { ClientFileError } from "./entries.ts";

/** Largest file that is read, in bytes: Claude Code keeps its history beside its servers. */
const MAX_BYTES = 64 * 1024 * 1024;
/** Backups of one file. */
const MAX_BACKUPS = 3;
/** What a backup's name ends in: the time that it was made. */
const STAMPED = /^\.\d{4}-\d\d-\d\dT[\d-]+Z\.bak$/;
const BOM = "\uFEFF";

/** A client's file as it was read. */
export interface ClientText {
  /** Without links. */
  readonly path: string;
  /** Without a byte order mark. */
  readonly text: string;
  readonly bom: string;
  readonly bytes: Buffer;
}

/**
 * Reads a client's file.
 * @throws ClientFileError where it is too large or no UTF-8; Error if it cannot be read
 */
export function readClientFile(file: string): ClientText {
  const path = realpathSync(file);
  const stats = statSync(path);
  // Opening a pipe could wait forever, and a device have no end.
  if (!stats.isFile()) {
    throw new ClientFileError(
      `it is ${stats.isDirectory() ? "a directory" : "not a file"}; name a file`,
    );
  }
  if (stats.size > MAX_BYTES) throw new ClientFileError(`it is over ${MAX_BYTES} bytes`);
  const bytes = readFileSync(path);
  let whole: string;
  try {
    whole = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new ClientFileError("it is not UTF-8");
  }
  const bom = whole.startsWith(BOM) ? BOM : "";
  return { path, text: whole.slice(bom.length), bom, bytes };
}

/**
 * Puts another text in a file's place, whole or not at all, and keeps the old one beside it: the three newest that
 * differ are kept.
 * @param stamp what the backup's name ends in
 * @returns the backup's path
 * @throws ClientFileError where the file has changed since it was read; Error where it, or its
 *   backup, cannot be written
 */
export function replaceClientFile(read: ClientText, text: string, stamp: string): string {
  const { path, bytes, bom } = read;
  const { mode } = statSync(path);
  const known = backupsOf(path);
  const same = known.find((each) => readFileSync(each).equals(bytes));
  const backup = same ?? `${path}.${stamp}.bak`;
  if (same === undefined) writeNew(backup, bytes, mode);
  replaceFile(path, bom + text, () => {
    if (readFileSync(path).equals(bytes)) return;
    throw new ClientFileError("it has been changed meanwhile; nothing was written, run this again");
  });
  const older = backupsOf(path).filter((each) => each !== backup);
  for (const each of older.slice(MAX_BACKUPS - 1)) rmSync(each, { force: true });
  return backup;
}

/** Returns the backups that install has made of a file, newest first. */
function backupsOf(path: string): readonly string[] {
  const name = basename(path);
  return readdirSync(dirname(path))
    .filter((each) => each.startsWith(`${name}.`) && STAMPED.test(each.slice(name.length)))
    .sort()
    .reverse()
    .map((each) => join(dirname(path), each));
}

function writeNew(path: string, bytes: Buffer, mode: number): void {
  const fd = openSync(path, "wx", mode & 0o777);
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
    fsyncSync(fd);
  } catch (error) {
    // A backup that holds less than the file is none.
    unlinkSync(path);
    throw error;
  } finally {
    closeSync(fd);
  }
}
