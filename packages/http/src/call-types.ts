import type { Check, RepairKind, TextRepair } from "@touchstone/core/advanced";

/** MCP `TextContent`. */
export interface TextContent {
  type: "text";
  text: string;
}

/** MCP `ImageContent`: `data` is base64. */
export interface ImageContent {
  type: "image";
  mimeType: string;
  data: string;
}

/** Any MCP `ContentBlock`: text, image, audio, a resource or a link to one. */
export type Content = TextContent | ImageContent | { type: string; [member: string]: unknown };

/** The response to a call: an MCP `CallToolResult` (revision 2025-11-25, Server Features, Tools). */
export interface CallResult {
  content: readonly Content[];
  isError: boolean;
  structuredContent?: unknown;
  _meta?: { _trace_id?: string; [member: string]: unknown };
}

/** The result of a {@link ToolCallHandler}. */
export interface ToolCallOutcome {
  readonly content: readonly Content[];
  readonly isError?: boolean | undefined;
  readonly structuredContent?: unknown;
  /** Returned as `_meta._trace_id`; absent, `null` and empty mean none. */
  readonly traceId?: string | null | undefined;
  /** Returned unchanged, beside the trace id. */
  readonly _meta?: Readonly<Record<string, unknown>> | undefined;
  /**
   * JSON texts of members, in which numbers are exact and keys as they were written. They are returned unchanged
   * instead of the members.
   */
  readonly texts?: ResultTexts | undefined;
  /** Set if the tool was not run because the call is not allowed; counts only with `isError`. */
  readonly refusal?: CallRefusal | undefined;
}

/** How a call is refused that is not allowed: the status of its response instead of `toolErrorStatus`. */
export interface CallRefusal {
  /** 403: it is not allowed. 429: it is over a limit, and allowed later. */
  readonly status: 403 | 429;
  /** Seconds after which the call can be sent again, as the header `Retry-After`. Rounded up. */
  readonly retryAfter?: number | undefined;
}

/** Why a call is not admitted. */
export interface Rejection extends Partial<CallRefusal> {
  /** The text that the client gets. */
  readonly text: string;
}

/** The JSON texts of a result's members. A text that is not JSON is an error of the handler. */
export interface ResultTexts {
  readonly content?: string | undefined;
  readonly structuredContent?: string | undefined;
}

/** The same as a tuple: content, whether it is an error, trace id. */
export type ToolCallTuple = readonly [
  content: readonly Content[],
  isError: boolean,
  traceId?: string | null | undefined,
];

/** The request for handlers and hooks, whichever server it came through. */
export interface IncomingRequest {
  readonly method: string;
  /** In the form that the server provides: the whole URL from a fetch server, the request target from Node. */
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Record<string, string | string[] | undefined>;
  /**
   * Aborted when the client leaves before its response; for a handler also at `callTimeoutMs`, for a hook and a
   * listener at `hostTimeoutMs`.
   */
  readonly signal: AbortSignal;
  /** The server's own request: a `Request`, an `IncomingMessage`, or the input of a route. */
  readonly raw: unknown;
}

/** The progress of a call, as in MCP's `notifications/progress`. */
export interface CallProgress {
  /** Increases with each report. */
  readonly progress: number;
  /** The value of `progress` at the end. */
  readonly total?: number | undefined;
  /** The first 1,000 characters are passed on. */
  readonly message?: string | undefined;
}

/** The request of a call, with the arguments as the client wrote them. */
export interface CallRequest extends IncomingRequest {
  /**
   * The JSON text of the arguments, in which numbers are exact. In the parsed arguments they are
   * doubles, and of two equal keys the last one counts.
   */
  readonly bodyText: string;
  /** The JSON text as the client wrote it, if the arguments were repaired; `bodyText` is then the repaired text. */
  readonly sentText?: string | undefined;
  /** Reports progress; undefined if the client does not accept `text/event-stream`. Never throws. */
  readonly reportProgress?: ((progress: CallProgress) => void) | undefined;
  /** What the client asked to be repaired, with `?repair=`; absent if it asked for nothing. */
  readonly askedRepairs?: readonly RepairKind[] | undefined;
}

/**
 * Runs a tool. Called only with arguments that satisfy the tool's input schema.
 * @param args the arguments, a JSON object
 */
export type ToolCallHandler = (
  name: string,
  args: Record<string, unknown>,
  request: CallRequest,
) => Promise<ToolCallOutcome | ToolCallTuple> | ToolCallOutcome | ToolCallTuple;

/** A call before its arguments are checked. */
export interface ComingCall {
  readonly tool: string;
  /** The JSON text of the arguments, as the client wrote them. */
  readonly body: Uint8Array;
  readonly request: IncomingRequest;
}

/**
 * Decides whether a call may go on, before its arguments are checked: for example by how many calls its client has
 * made. A {@link Rejection}, or a string, or a promise of one, rejects the call. Without a status, the client gets a 403.
 * If the function throws, rejects or takes longer than `hostTimeoutMs`, the client gets a 500.
 */
export type AdmitCall = (call: ComingCall) => unknown;

/** A call that was refused because its arguments do not satisfy the tool's input schema. */
export interface RefusedCall {
  readonly tool: string;
  /** The JSON text of the arguments, as the client wrote them. */
  readonly body: Uint8Array;
  /** What is wrong with them. */
  readonly check: Pick<Check, "outcome" | "errors" | "guard" | "truncated">;
  /** The text that the client receives, unless the listener returns another one. It names no values of the arguments. */
  readonly text: string;
  readonly request: IncomingRequest;
}

/** A call whose arguments did not satisfy the tool's input schema and were repaired. */
export interface RepairedCall {
  readonly tool: string;
  /** The JSON text of the arguments, as the client wrote them. */
  readonly body: Uint8Array;
  /** The same text with edited values. */
  readonly repaired: Uint8Array;
  /** What was done, and where. */
  readonly repairs: readonly TextRepair[];
  /** The JSON text of a JSON Patch (RFC 6902), with every digit. */
  readonly patch: string;
  readonly request: IncomingRequest;
}

/**
 * Receives calls whose arguments were repaired, before the handler runs; failures are handled as for {@link
 * RefusalListener}.
 */
export type RepairListener = (repaired: RepairedCall) => Promise<void> | void;

/**
 * Takes calls that were refused. The client is answered when it is done; if it throws, rejects or
 * takes longer than `hostTimeoutMs`, with a 500 instead of the refusal. If it returns a string, or a promise of one, that is
 * the text that the client gets.
 */
export type RefusalListener = (refused: RefusedCall) => unknown;

/**
 * Guards the execution of tools, and nothing else. Calls `next` to continue and returns its response; or throws, and the
 * client gets 401 `{"error":"Unauthorized"}` without details; or returns a response of its own. It runs before the
 * body is read; `next` never rejects, and runs the tool once however often it is called.
 */
export type AuthHook = (
  request: IncomingRequest,
  next: () => Promise<Response>,
) => Promise<Response | undefined> | Response | undefined;
