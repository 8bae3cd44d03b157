import { TouchstoneError } from "@touchstone/gateway/errors";
import { CommanderError } from "commander";
import { CliExit, EXIT_FAILED, EXIT_OK, EXIT_USAGE } from "./exit.ts";
import { writeReason } from "./write-error.ts";

/** The HTTP status of errors in the user's input. */
const BAD_REQUEST = 400;

const TOO_MANY_FILES = "too many files are open; raise the limit (ulimit -n)";

/** Errors that can occur anywhere, by POSIX code, or by the call if it has only one cause. */
const CONDITIONS: ReadonlyMap<string, string> = new Map([
  ["EMFILE", TOO_MANY_FILES],
  ["ENFILE", TOO_MANY_FILES],
  ["uv_cwd", "the working directory has been removed; change to another one"],
]);

/** How an error ends the process. */
export interface ErrorExit {
  /** The exit status. */
  readonly code: number;
  /** The text for stderr; empty if it was already printed. */
  readonly text: string;
}

/** Returns how an error ends the process. */
export function errorExit(error: unknown): ErrorExit {
  if (error instanceof CliExit) return { code: error.code, text: error.message };
  // Commander has already printed its own text; help and --version end with 0.
  if (error instanceof CommanderError) {
    return { code: error.exitCode === 0 ? EXIT_OK : EXIT_USAGE, text: "" };
  }
  if (!(error instanceof Error)) return { code: EXIT_FAILED, text: unexpected(String(error)) };
  if (error instanceof TouchstoneError) {
    const code = error.status === BAD_REQUEST ? EXIT_USAGE : EXIT_FAILED;
    return { code, text: told(error) };
  }
  const { code: cause = "", syscall = "" } = error as NodeJS.ErrnoException;
  const condition = CONDITIONS.get(cause) ?? CONDITIONS.get(syscall);
  if (condition !== undefined) return { code: EXIT_FAILED, text: condition };
  return { code: EXIT_FAILED, text: unexpected(error.stack ?? error.message) };
}

/** Returns an error's message, with the system's own message at its end. */
function told({ name, message, cause }: Error): string {
  if (name !== "CaptureError" || !(cause instanceof Error)) return message;
  return message.replace(cause.message, () => writeReason(cause));
}

function unexpected(text: string): string {
  return `internal error, please report it: ${text}`;
}
