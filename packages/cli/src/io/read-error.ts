import { codeOf } from "@touchstone/gateway/errors";
import { safeText } from "../terminal/safe-text.ts";
import { CliExit, EXIT_FAILED, EXIT_USAGE } from "./exit.ts";

/** Reasons and remedies by POSIX error code, as Node reports them. */
const REASONS: ReadonlyMap<string, string> = new Map([
  ["EACCES", "reading it is not permitted; check its permissions and its directory's"],
  ["EISDIR", "it is a directory; name a file"],
  ["ELOOP", "its symbolic links lead in a circle; name the file itself"],
  ["ENAMETOOLONG", "its name is too long; check the path"],
  ["ENOENT", "there is no such file; check the path"],
  ["ENOTDIR", "a part of its path is not a directory; check the path"],
  ["EPERM", "reading it is not permitted; check its permissions and its directory's"],
]);

/** Returns an error's message without the code and system call that Node adds. */
export function readErrorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message } = error;
  return /^E[A-Z\d]+: ([^,]+)/.exec(message)?.[1] ?? message;
}

/**
 * Returns an exit with status 3 that explains why a file could not be read.
 * @param name of a file; `-` if the command does not read standard input
 * @returns an exit with status 2 if the user meant standard input, which is not read here
 */
export function readError(name: string, error: unknown): CliExit {
  const code = codeOf(error);
  if (name === "-" && code === "ENOENT") {
    const message = "- cannot be read: standard input is not read here; name a file";
    return new CliExit(EXIT_USAGE, message, { cause: error });
  }
  const reason = REASONS.get(code) ?? readErrorText(error);
  return new CliExit(
    EXIT_FAILED,
    `${name === "" ? '""' : safeText(name)} cannot be read: ${safeText(reason)}`,
    {
      cause: error,
    },
  );
}
