import { ERROR_CODES, errorFrame, type Frame, spliceFrame } from "@touchstone/protocol";
import { protocolFault } from "./faults.ts";
import type { PendingRequest } from "./inflight.ts";
import type { PipelineState } from "./state.ts";

/**
 * Whether a response has no id, or `null`: so an error answers a message whose id could not be read (JSON-RPC 2.0,
 * section 5).
 */
export function isNameless({ id, kind }: Frame): boolean {
  return (kind === "response" || kind === "error") && (id === undefined || id === "null");
}

/**
 * Takes the request that a response without an id is meant for, if there is exactly one that it can be.
 * @param answers the ids, by key, of the requests that it can be about; all that wait by default
 * @returns the request, and how many it could have been
 */
export function takeMeant(
  { inflight }: PipelineState,
  answers: readonly string[] | undefined,
): { readonly pending?: PendingRequest | undefined; readonly waiting: number } {
  if (answers === undefined) return { waiting: inflight.size, pending: inflight.takeOnly() };
  const waiting = answers.filter((answer) => inflight.has(answer));
  const [key] = waiting.length === 1 ? waiting : [];
  return { waiting: waiting.length, pending: key === undefined ? undefined : inflight.take(key) };
}

/** What is wrong with it. @param meant whether exactly one request can be meant */
export function namelessFault({ kind }: Frame, meant: boolean): ReturnType<typeof protocolFault> {
  const what = kind === "error" ? "the error" : "the response";
  const rest = meant
    ? "it is taken to be about the only request that waits"
    : "it is not clear which request it is about";
  return protocolFault("/id", `${what} has no id; ${rest}`);
}

/** An error under a request's id. */
export function errorOnId(frame: Frame, id: string): Uint8Array {
  const range = frame.ranges.id;
  if (range !== undefined) return spliceFrame(frame.bytes, [{ range, text: id }]);
  const { error } = frame.ranges;
  const text = error === undefined ? "" : frame.text(error);
  const code = frame.errorCode ?? ERROR_CODES.internalError;
  return errorFrame(id, code, `the server refused: ${text}`);
}
