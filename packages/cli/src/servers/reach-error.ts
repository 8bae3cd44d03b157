import { isOnPath } from "@touchstone/gateway/config";
import { AnsweredError } from "./answered-error.ts";

/** By the codes of POSIX errors, as Node gives them, and of a peer. */
const REASONS: ReadonlyMap<string, string> = new Map([
  ["CONNECTION_CLOSED", "it ended before it had answered; run it by itself to see why"],
  ["EACCES", "running it is not permitted; is it a program?"],
  ["ECONNREFUSED", "nothing listens there; check the host and the port, and that the server runs"],
  ["ENOENT", "command not found; check the spelling and the PATH"],
  ["ENOTFOUND", "no host has this name; check the spelling and the network"],
  ["REQUEST_TIMEOUT", "it did not answer in time; --timeout gives it longer"],
]);

/** How deep causes are followed. */
const MAX_CAUSES = 8;

/** What lies below an error; of a name with several addresses, the failure of the first. */
function below(error: Error): unknown {
  return error instanceof AggregateError ? error.errors[0] : error.cause;
}

function codeOf(error: Error, command: string | undefined): string {
  const { code = "" } = error as NodeJS.ErrnoException;
  const isMissing =
    code === "EACCES" && command !== undefined && !isOnPath(command, process.env["PATH"]);
  return isMissing ? "ENOENT" : String(code);
}

/** Returns whether an error, or one that caused it, says that no answer came in time. */
export function isSilent(error: unknown): boolean {
  let last = error;
  for (let depth = 0; depth < MAX_CAUSES && last instanceof Error; depth += 1) {
    if ((last as NodeJS.ErrnoException).code === "REQUEST_TIMEOUT") return true;
    last = below(last);
  }
  return false;
}

/**
 * Returns why a server could not be started or reached, in words. The first cause tells most: what `fetch` and a
 * link make of it is that they failed.
 * @param command of a server that was to be started
 */
export function reachError(error: unknown, command?: string): Error {
  if (error instanceof AnsweredError) {
    const { code, message } = error;
    return new Error(`it answered with the error ${code}: ${message}`, { cause: error });
  }
  let last: unknown = error;
  for (let depth = 0; depth < MAX_CAUSES && last instanceof Error; depth += 1) {
    const next = below(last);
    if (!(next instanceof Error)) break;
    last = next;
  }
  const reason = REASONS.get(last instanceof Error ? codeOf(last, command) : "");
  if (reason !== undefined) {
    const { said = "" } = last as { readonly said?: string };
    return new Error(`${reason}${said}`, { cause: error });
  }
  if (last !== error && last instanceof Error && last.message !== "") {
    return new Error(last.message, { cause: error });
  }
  return error instanceof Error ? error : new Error(String(error));
}
