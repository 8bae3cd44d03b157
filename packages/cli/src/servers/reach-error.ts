import { isOnPath } from "@touchstone/gateway/config";
import { isProtocolError } from "./answered-error.ts";

/** By the codes of POSIX errors, as Node gives them, and of the MCP SDK. */
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

/** What lies below an error: its cause, which the MCP SDK keeps in `data`. */
function below(error: Error): unknown {
  if (error.cause !== undefined) return error.cause;
  const data: unknown = "data" in error ? error.data : undefined;
  return typeof data === "object" && data !== null && "cause" in data ? data.cause : undefined;
}

function codeOf(error: Error): string {
  const { code = "", path } = error as NodeJS.ErrnoException;
  const isMissing = code === "EACCES" && path !== undefined && !isOnPath(path, process.env["PATH"]);
  return isMissing ? "ENOENT" : String(code);
}

/** An error that the server itself has answered. */
function answerOf(error: unknown): string | undefined {
  if (!isProtocolError(error)) return undefined;
  return `it answered with the error ${error.code}: ${error.message}`;
}

/**
 * Why a server could not be started or reached, in words. The first cause tells most: what the MCP SDK
 * and `fetch` make of it is that they failed.
 */
export function reachError(error: unknown): Error {
  let last: unknown = error;
  for (let depth = 0; depth < MAX_CAUSES && last instanceof Error; depth += 1) {
    const next = below(last);
    if (!(next instanceof Error)) break;
    last = next;
  }
  const answer = answerOf(last);
  if (answer !== undefined) return new Error(answer, { cause: error });
  const reason = REASONS.get(last instanceof Error ? codeOf(last) : "");
  if (reason !== undefined) return new Error(reason, { cause: error });
  if (last !== error && last instanceof Error && last.message !== "") {
    return new Error(last.message, { cause: error });
  }
  return error instanceof Error ? error : new Error(String(error));
}
