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

/** Largest file to read, in bytes: Claude Code keeps its history in the same file as its servers. */
const MAX_BYTES = 64 * 1024 * 1024;
/** Number of backups to keep of one file. */
const MAX_BACKUPS = 3;
/** The suffix of a backup: the time when it was made. */
const STAMPED = /^\.\d{4}-\d\d-\d\dT[\d-]+Z\.bak$/;
const BOM = "\uFEFF";

/** A client's file as it was read. */
export interface ClientText {
  /** Without links. */
  readonly path: string;
  /** Without the byte order mark. */
  readonly text: string;
  readonly bom: string;
  readonly bytes: Buffer;
}

/**
 * Reads a client's file.
 * @throws ClientFileError if it is too large or not UTF-8; Error if it cannot be read
 */
export function readClientFile(file: string): ClientText {
  const path = realpathSync(file);
  const stats = statSync(path);
  // Opening a pipe could block forever, and a device may have no end.
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
 * Replaces a file's text, completely or not at all, and keeps the old text in a backup: the three newest that differ
 * are kept, and none that equals the new text.
 * @param stamp suffix of the backup
 * @returns the backup's path
 * @throws ClientFileError if the file has changed since it was read; Error if the file or its backup cannot be
 *   written
 */
export function replaceClientFile(read: ClientText, text: string, stamp: string): string {
  const { path, bytes, bom } = read;
  const { mode } = statSync(path);
  const known = backupsOf(path);
  const same = known.find((each) => readFileSync(each).equals(bytes));
  const backup = same ?? `${path}.${stamp}.bak`;
  if (same === undefined) writeNew(backup, bytes, mode);
  replaceIfUnchanged(read, text);
  const written = Buffer.from(bom + text);
  for (const each of backupsOf(path)) {
    if (readFileSync(each).equals(written)) rmSync(each, { force: true });
  }
  const older = backupsOf(path).filter((each) => each !== backup);
  for (const each of older.slice(MAX_BACKUPS - 1)) rmSync(each, { force: true });
  return backup;
}

/**
 * Replaces a file's text, completely or not at all.
 * @throws ClientFileError if the file has changed since it was read; Error if it cannot be written
 */
export function replaceIfUnchanged({ path, bytes, bom }: ClientText, text: string): void {
  replaceFile(path, bom + text, () => {
    if (readFileSync(path).equals(bytes)) return;
    throw new ClientFileError(
      "it was changed in the meantime; nothing was written; run this again",
    );
  });
}

/** Returns the backups of a file that install has made, newest first. */
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
    // An incomplete backup is not a backup.
    unlinkSync(path);
    throw error;
  } finally {
    closeSync(fd);
  }
}
