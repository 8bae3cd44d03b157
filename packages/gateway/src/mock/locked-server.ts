import { type LockedServer, lockFaultText, readLock } from "@touchstone/protocol/lock";
import { visible } from "@touchstone/util";
import { CaptureError } from "../insight/capture/errors.ts";

/** How many names of servers an error lists. */
const MAX_NAMES = 20;

/**
 * Returns a server of a lock file.
 * @param wanted its name, and whether the only server in the file counts whatever its name is
 * @throws CaptureError if it is not a lock file, or it is unclear which server is meant
 */
export function lockedServerIn(
  file: string,
  bytes: Uint8Array,
  wanted: { readonly name: string | undefined; readonly isOnlyEnough?: boolean },
): { readonly name: string; readonly locked: LockedServer } {
  const read = readLock(bytes);
  if (!read.ok) {
    throw invalid(read.faults.map((fault) => lockFaultText(file, fault)).join("\n"));
  }
  const { servers } = read.lock;
  const listed = [...servers.keys()].slice(0, MAX_NAMES).map((name) => visible(name, 100));
  const names = listed.join(", ");
  if (wanted.name === undefined && servers.size > 1) {
    throw invalid(`${file}: has several servers; choose one with --server: ${names}`);
  }
  const isOnly = wanted.name === undefined || (wanted.isOnlyEnough === true && servers.size === 1);
  const name = isOnly ? [...servers.keys()][0] : wanted.name;
  if (name === undefined) throw invalid(`${file}: has no servers`);
  const locked = servers.get(name);
  if (locked === undefined) {
    throw invalid(`${file}: has no server "${visible(name, 100)}"; it has: ${names}`);
  }
  return { name, locked };
}

function invalid(message: string): CaptureError {
  return new CaptureError("CAPTURE_INVALID", message);
}
