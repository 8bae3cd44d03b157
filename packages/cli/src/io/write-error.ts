import { codeOf } from "@touchstone/gateway/errors";
import { safeText } from "../terminal/safe-text.ts";
import { CliExit, EXIT_FAILED } from "./exit.ts";
import { readErrorText } from "./read-error.ts";

/** Reason and remedy for each POSIX error code, as Node reports it. */
const REASONS: ReadonlyMap<string, string> = new Map([
  ["EACCES", "writing there is not permitted; name a file elsewhere"],
  ["EBUSY", "it is in use; close what uses it, or name a file elsewhere"],
  ["EDQUOT", "your disk quota is used up; make room, or name a file elsewhere"],
  ["EEXIST", "there is a file of this name already; name another one, or remove it first"],
  ["EISDIR", "it is a directory; name a file"],
  ["ELOOP", "its symbolic links lead in a circle; name the file itself"],
  ["ENAMETOOLONG", "its name is too long; name a shorter one"],
  ["ENOENT", "its directory does not exist; create it, or name a file elsewhere"],
  ["ENOSPC", "the disk is full; make room, or name a file elsewhere"],
  ["ENOTDIR", "a part of its path is not a directory; name a file elsewhere"],
  ["EPERM", "writing there is not permitted; name a file elsewhere"],
  ["EROFS", "the file system cannot be written to; name a file elsewhere"],
]);

/** Returns why the system refuses to write a file, in plain words if there are any for the error. */
export function writeReason(error: unknown): string {
  return REASONS.get(codeOf(error)) ?? readErrorText(error);
}

/** Returns an exit with status 3 that explains why a file could not be written. */
export function writeError(name: string, error: unknown): CliExit {
  const reason = writeReason(error);
  return new CliExit(EXIT_FAILED, `${safeText(name)} cannot be written: ${safeText(reason)}`, {
    cause: error,
  });
}
