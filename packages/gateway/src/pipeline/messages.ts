import {
  type Check,
  decodeUtf8,
  type Issue,
  type JsonRange,
  quote,
} from "@touchstone/core/advanced";
import {
  ERROR_CODES,
  type ErrorCode,
  errorFrame,
  type Frame,
  notificationFrame,
  spliceFrame,
  toolErrorFrame,
} from "@touchstone/protocol/advanced";
import { boundIssues } from "@touchstone/records/plain";
import type { Era } from "../eras/era.ts";
import type { CallError } from "../features/call-step.ts";
import { isQueueFull } from "../features/decision.ts";
import type { ExceededLimit } from "../features/limits.ts";
import { namelessCallError, unknownToolError } from "../features/unknown-schemas/text.ts";
import { explainInput, explainOutput } from "../policy/explain.ts";
import { describeFaults } from "./faults.ts";
import type { ToolCall } from "./in-flight.ts";

/*
 * Every message that the pipeline sends to a peer instead of forwarding a message. `policy/explain.ts` writes the
 * texts about arguments and results.
 */

const { internalError, invalidRequest, invalidParams, methodNotFound, parseError } = ERROR_CODES;

const NOT_RECORDED =
  "touchstone could not record this call, so it was not sent. See the gateway's log.";
const NOT_CHECKED = "touchstone: this message could not be checked; see the gateway's log";
const UNKNOWN_REQUEST =
  "Blocked by touchstone: the gateway has not seen the request for this response, so it cannot check the response; send the request again";

export const TOO_MANY_REQUESTS = "too many requests are waiting for responses; try again later";
export const TOO_MANY_CHECKS =
  "too many checks are waiting (check queue full), so the arguments were not checked and the call was not sent; try again in a few seconds";
const RESULT_NOT_CHECKED =
  "the tool has run, but too many checks are waiting (check queue full), so its result was not checked and is withheld; try again in a few seconds";
export const TOO_MANY_BYTES =
  "64 MiB of requests are waiting for the server's tool list; try again later";

/** @param limit the number of concurrent tool calls */
export function tooManyCalls(limit: number): string {
  return `the limit of ${limit} tool calls at a time is reached (limits.concurrent_calls); try again when one has finished`;
}

/** Returns the issue of a call or a result that is over a limit. */
export function limitIssue({ name, message }: ExceededLimit): Issue {
  return { path: "", message, rule: "policy", keyword: name };
}

/** Returns the text for the client of a call that was rejected. */
export function refusedText(tool: string, reason: string): string {
  return `The call of ${quote(tool, 128)} was rejected before it reached the server: ${reason}.`;
}

/** Returns the response instead of one whose result or error is over its limit. */
export function overResultLimit(
  id: string,
  what: "result" | "error",
  reason: string,
  { namesResultType: modern }: Era,
): Uint8Array {
  const begin = what === "error" ? "The call failed, and" : "The tool has run, but";
  const text = `${begin} ${reason} and is withheld. If the call changed something, do not repeat it. Otherwise ask for less: use a filter, fewer fields or a smaller page.`;
  return toolErrorFrame(id, text, { modern });
}

/** Returns why a call was abandoned. */
export function callTimeout(milliseconds: number): string {
  return `the server did not respond within ${milliseconds / 1000} s (limits.call_timeout)`;
}

/** Returns why a message was not read. */
export function overLimitText(
  from: "client" | "server",
  size: string | number,
  limit: number,
): string {
  return `${from} message of ${size} bytes is over the limit of ${limit} bytes`;
}

/** Returns why a batch was not taken apart. */
export function overBatchLimit(from: "client" | "server", limit: number): string {
  return `${from} batch of more than ${limit} messages`;
}

/** Returns the response to a message whose record could not be kept. */
export function notRecorded(id: string | undefined): Uint8Array {
  return errorFrame(id ?? null, internalError, NOT_RECORDED);
}

/** Returns the error for a message that the gateway failed to check. */
export function notChecked(id: string | undefined): Uint8Array {
  return errorFrame(id ?? null, internalError, NOT_CHECKED);
}

/** Returns the response to a request over a limit. */
export function rejectedResponse(id: string | undefined, reason: string): Uint8Array {
  return errorFrame(id ?? null, internalError, reason);
}

/** Returns the response to a request that the server will not answer anymore. */
export function failedRequestResponse(id: string | undefined, reason: string): Uint8Array {
  return errorFrame(id ?? null, internalError, `touchstone: ${reason}`);
}

/** Returns the response to a request about another caller's task (MCP 2025-11-25, Tasks, Error Handling). */
export function unknownTask(id: string | undefined, reason: string): Uint8Array {
  return errorFrame(id ?? null, invalidParams, `touchstone: ${reason}`);
}

/** Tells the server that the client no longer waits for a call. */
export function timedOutCancellation(id: string): Uint8Array {
  return notificationFrame(
    "notifications/cancelled",
    `{"requestId":${id},"reason":"no response in time"}`,
  );
}

/** Returns the error for a message that is too large, for its sender or for the peer that waits for it. */
export function messageTooLarge(
  id: string | null,
  reason: string,
  isResponse: boolean,
): Uint8Array {
  const code = isResponse ? internalError : invalidRequest;
  return errorFrame(id, code, `Blocked by touchstone: ${reason}`);
}

/**
 * Returns the error for a client message that breaks the protocol.
 * @param given the code that the fault itself asks for
 */
export function blockedMessage(frame: Frame, faults: readonly Issue[], given?: number): Uint8Array {
  const { error } = frame.scan;
  const code =
    given ??
    (error !== undefined
      ? error.code === "size"
        ? invalidRequest
        : parseError
      : isResponse(frame)
        ? internalError
        : requestErrorCode(faults));
  return withIssues(frame.id, code, `Blocked by touchstone: ${describeFaults(faults)}`, faults);
}

/**
 * Returns the error for a user's response that does not match the form that the server sent: for the server that waits
 * for it, or for the call that comes with it.
 */
export function blockedInput(
  frame: Frame,
  faults: readonly Issue[],
  { namesResultType: modern }: Era,
): Uint8Array {
  const said = describeFaults(faults);
  if (frame.toolName !== undefined) {
    const text = `The call of ${quote(frame.toolName, 128)} was blocked before it reached the server: the user's response does not match the form that the server sent.\n- ${said}\nAsk the user again, and send the call with a response that matches requestedSchema.`;
    return toolErrorFrame(frame.id ?? "null", text, { modern });
  }
  const text = `Blocked by touchstone: the user's response does not match requestedSchema: ${said}`;
  return withIssues(frame.id, isResponse(frame) ? internalError : invalidParams, text, faults);
}

/** Returns the response to a server request that breaks the protocol. */
export function blockedRequest(id: string, faults: readonly Issue[]): Uint8Array {
  const text = `Blocked by touchstone: ${describeFaults(faults)}`;
  return withIssues(id, requestErrorCode(faults), text, faults);
}

/** Returns the error that replaces a response that breaks the protocol. */
export function blockedResponse(
  id: string | undefined,
  reason: string,
  faults: readonly Issue[],
): Uint8Array {
  const text = `Blocked by touchstone: the server's response breaks the protocol: ${reason}`;
  return withIssues(id, internalError, text, faults);
}

/** Returns the error that replaces a tool list that must not be shown as a whole. */
export function blockedList(
  id: string | undefined,
  reason: string,
  issues: readonly Issue[],
): Uint8Array {
  return withIssues(id, internalError, `Blocked by touchstone: ${reason}`, issues);
}

/** Returns the error that replaces an unreadable or unusable response. */
export function lostResponse(id: string, reason: string, faults: readonly Issue[]): Uint8Array {
  return withIssues(id, internalError, `touchstone: ${reason}`, faults);
}

/** Returns the error that replaces a response to an unknown request. */
export function unknownRequest(id: string | undefined, faults: readonly Issue[]): Uint8Array {
  return withIssues(id, internalError, UNKNOWN_REQUEST, faults);
}

/** Returns the response to a call that a feature refuses. @param issues the reasons */
export function refusedCall(
  frame: Frame,
  issues: readonly Issue[],
  error: CallError,
  { namesResultType: modern }: Era,
): Uint8Array {
  if (error === "check queue full") return rejectedResponse(frame.id, TOO_MANY_CHECKS);
  if (error.as === "blocked message") return blockedMessage(frame, issues, error.code);
  return error.as === "tool error"
    ? toolErrorFrame(frame.id ?? "null", error.text, { modern })
    : errorFrame(frame.id ?? null, invalidParams, error.text);
}

/**
 * Returns the response to a call that is blocked for its arguments, or because it cannot be checked.
 * @param shown what the client knows of the tool, and whether the same arguments were blocked before
 */
export function blockedCall(
  frame: Frame,
  { tool, contract, gap }: Pick<ToolCall, "tool" | "contract" | "gap">,
  check: Check,
  era: Era,
  shown: ShownTool,
): Uint8Array {
  if (contract !== undefined || gap === undefined) {
    const text = explainInput(shown.tool, check, shown);
    return toolErrorFrame(frame.id ?? "null", text, { modern: era.namesResultType });
  }
  const error =
    tool === undefined
      ? namelessCallError
      : unknownToolError(shown.tool, gap.code === "unlisted" ? undefined : gap);
  return refusedCall(frame, [], error, era);
}

/** A tool as the client knows it. */
interface ShownTool {
  /** The name in its list. */
  readonly tool: string;
  /** The input schema, if it is to be shown. */
  readonly schema: Uint8Array | undefined;
  /** Whether the same arguments were blocked before. */
  readonly repeated: boolean;
}

/** Returns the response that replaces a blocked result. */
export function blockedResult(
  id: string,
  check: Pick<Check, "outcome" | "counts">,
  reason: string,
  { namesResultType: modern }: Era,
): Uint8Array {
  if (isQueueFull(check)) return toolErrorFrame(id, RESULT_NOT_CHECKED, { modern });
  const isUnknown = check.outcome === "unknown";
  const text = isUnknown ? `the result was blocked: it ${reason}` : explainOutput(reason);
  return toolErrorFrame(id, text, { modern });
}

/** How many bytes of a server's error are copied into another error. */
const MAX_REPEATED = 16_384;
const startOf = ({ start, end }: JsonRange): JsonRange => ({
  start,
  end: Math.min(end, start + MAX_REPEATED),
});

/** Returns a server's error that lacks an id, with the id of its request. */
export function errorWithId(frame: Frame, id: string): Uint8Array {
  const range = frame.ranges.id;
  if (range !== undefined) return spliceFrame(frame.bytes, [{ range, text: id }]);
  const { error } = frame.ranges;
  const text = error === undefined ? "" : frame.text(startOf(error));
  const code = frame.errorCode ?? internalError;
  return errorFrame(id, code, `the server refused: ${text}`);
}

/** Returns a JSON-RPC error with issues in its `data`, up to 16 KiB of them. */
function withIssues(
  id: string | undefined,
  code: number,
  text: string,
  issues: readonly Issue[],
): Uint8Array {
  return errorFrame(id ?? null, code, text, { issues: boundIssues(issues).issues });
}

/** Rules that a request breaks if its client has not declared that it supports the method. */
const OF_CLIENT: ReadonlySet<string> = new Set(["client-capability", "elicitation-capability"]);

/** Returns the code of the response to a request with these faults (JSON-RPC 2.0, section 5.1). */
function requestErrorCode(faults: readonly Issue[]): ErrorCode {
  const inParams = ({ rule, path }: Issue): boolean =>
    rule === "duplicate" || path.startsWith("/params");
  // The response of a client that does not support the method (Roots, Error Handling).
  if (faults.some(({ keyword = "" }) => OF_CLIENT.has(keyword))) return methodNotFound;
  return faults.every(inParams) ? invalidParams : invalidRequest;
}

/** Returns the text of one of the gateway's own messages: an error's message, or a tool result's content. */
export function ownMessageText(response: Uint8Array): string {
  const { error, result } = JSON.parse(decodeUtf8(response)) as {
    readonly error?: { readonly message: string };
    readonly result?: { readonly content: readonly { readonly text: string }[] };
  };
  return error?.message ?? result?.content.map(({ text }) => text).join("\n") ?? "";
}

const HEAD_BYTES = 4_096;
const FIRST_PART = /"(params|result|error)"\s*:/;

/**
 * Returns whether the client receives the error about its message. The error about a response goes to the server.
 */
export function receivesError(frame: Frame): boolean {
  return frame.kind !== "notification" && !isResponse(frame);
}

/** Returns whether a client message is a response, or the beginning of one. */
export function isResponse(frame: Frame): boolean {
  if (frame.kind !== "invalid") return frame.kind === "response" || frame.kind === "error";
  if (frame.scan.error === undefined || frame.range("/method") !== undefined) return false;
  if (frame.scan.error.code === "size") return true;
  // A member that broke off has no range, so search for its name.
  const head = Buffer.from(frame.bytes.subarray(0, HEAD_BYTES)).toString("latin1");
  const part = FIRST_PART.exec(head)?.[1];
  return part === "result" || part === "error";
}
