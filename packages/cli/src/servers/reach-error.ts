import { isOnPath, tlsErrorText } from "@touchstone/gateway/config";
import { JsonRpcResponseError } from "./json-rpc-error.ts";

/** Reasons by error code: POSIX codes as Node reports them, and those of a peer. */
const REASONS: ReadonlyMap<string, string> = new Map([
  ["CONNECTION_CLOSED", "it exited before it responded; run it by itself to see why"],
  ["EACCES", "it is not executable; check its permissions"],
  ["ECONNREFUSED", "nothing listens there; check the host and the port, and that the server runs"],
  ["ENOENT", "command not found; check the spelling and the PATH"],
  ["ENOTFOUND", "no host has this name; check the spelling and the network"],
  ["REQUEST_TIMEOUT", "it did not respond in time; --timeout allows more time"],
]);

/** How many levels of causes to follow. */
const MAX_CAUSES = 8;

/**
 * Returns an error and its causes, the root cause last. If a name has several addresses, follows the failure of the
 * first.
 */
function chainOf(error: unknown): readonly Error[] {
  const chain: Error[] = [];
  for (let next = error; next instanceof Error && chain.length <= MAX_CAUSES; ) {
    chain.push(next);
    next = next instanceof AggregateError ? next.errors[0] : next.cause;
  }
  return chain;
}

function codeOf(error: Error, command: string | undefined): string {
  const { code = "" } = error as NodeJS.ErrnoException;
  const isMissing =
    code === "EACCES" && command !== undefined && !isOnPath(command, process.env["PATH"]);
  return isMissing ? "ENOENT" : String(code);
}

/** Returns whether an error, or one of its causes, means that no response arrived in time. */
export function isTimeout(error: unknown): boolean {
  return chainOf(error).some((one) => (one as NodeJS.ErrnoException).code === "REQUEST_TIMEOUT");
}

/**
 * Returns an error that explains why a server could not be started or reached. The root cause is the most useful
 * part: `fetch` and a link only report that they failed.
 * @param command the command of the server, if it was started
 */
export function unreachableError(error: unknown, command?: string): Error {
  if (error instanceof JsonRpcResponseError) {
    const { code, message } = error;
    return new Error(`it responded with the error ${code}: ${message}`, { cause: error });
  }
  const last = chainOf(error).at(-1);
  const reason = REASONS.get(last === undefined ? "" : codeOf(last, command));
  if (reason !== undefined) {
    const { said = "" } = last as { readonly said?: string };
    return new Error(`${reason}${said}`, { cause: error });
  }
  const ofTls = tlsErrorText(last);
  if (ofTls !== undefined) return new Error(ofTls, { cause: error });
  if (last !== undefined && last !== error && last.message !== "") {
    return new Error(last.message, { cause: error });
  }
  return error instanceof Error ? error : new Error(String(error));
}
