import { isObject, withoutByteOrderMark } from "@touchstone/core/advanced";
import { type Frame, readFrame } from "@touchstone/protocol/advanced";
import { visible } from "@touchstone/util";
import { errorWithId } from "../../pipeline/messages.ts";
import { lacksId } from "../../pipeline/stages/correlate.ts";
import { type HeaderFields, mediaType } from "../../transport/http/headers.ts";
import { hasJsonRpcResponse, unexpectedIdsText } from "../../transport/http/messages.ts";
import {
  UnreadableResponseError,
  UpstreamError,
  type UpstreamResponse,
} from "../../transport/http/upstream-call.ts";

const EMPTY = " and an empty body instead of a JSON-RPC message";

/** An HTTP response that is not a stream of events. */
export interface BufferedResponse {
  readonly status: number;
  /** What the status means, to add to a message; empty if nothing is known. */
  readonly hint: string;
  /** When to send the request again, in the same form. */
  readonly retry: string;
  /** What the server says of an error outside JSON-RPC, on one line; empty if nothing. */
  readonly said: string;
  /** The body, if it is JSON and not an HTTP error's description. */
  readonly message: Uint8Array | undefined;
  /** The length of the body. */
  readonly bytes: number;
}

/** @param given the whole body */
export function bufferedResponse(
  { statusCode: status, headers }: Pick<UpstreamResponse, "statusCode" | "headers">,
  given: Uint8Array,
): BufferedResponse {
  const type = mediaType(headers["content-type"]);
  const body = withoutByteOrderMark(given);
  const json = type === "application/json" && body.length > 0;
  // Clients read a message from its text, whatever its media type says.
  const holds = status >= 300 && body.length > 0 && isMessage(body);
  const ofHttp = status >= 400 && !holds;
  const challenge = headers["www-authenticate"] !== undefined && status === 401 ? HINT_LOGIN : "";
  const retry = status < 300 ? "" : retryHint(headers["retry-after"]);
  return {
    status,
    hint: body.length === 0 && status < 300 ? EMPTY : `${hintFor(status, type, retry)}${challenge}`,
    retry,
    said: ofHttp ? httpErrorText(body, type) : "",
    message: holds || (json && !ofHttp) ? body : undefined,
    bytes: given.length,
  };
}

/**
 * Returns what is wrong with the response to a POST without requests, which an accepting server answers with 202 and no
 * body (MCP, Transports, Sending Messages to the Server). Undefined for such a response, and for an error status.
 * @param bytes the length of the body; undefined for a stream of events
 * @param what names the message
 */
export function acknowledgementFault(
  { statusCode: status, headers }: Pick<UpstreamResponse, "statusCode" | "headers">,
  bytes: number | undefined,
  what: string,
): string | undefined {
  if (status >= 400 || (status === 202 && bytes === 0)) return undefined;
  const type = visible(mediaType(headers["content-type"]), MAX_TYPE) || "no content type";
  const body =
    bytes === 0 ? "no body" : `a body of ${type}${bytes === undefined ? "" : `, ${bytes} bytes`}`;
  return `the server's response to ${what} must be HTTP status 202 without a body, but is status ${status} with ${body}`;
}

/** Names the messages of a POST without requests. */
export function nameOneWayMessages({ kind, method = "" }: Frame): string {
  if (kind === "batch") return "a batch without requests";
  return kind === "notification" ? visible(method, MAX_METHOD) : "a response of the client";
}

const MAX_TYPE = 100;
const MAX_METHOD = 64;

/** Returns whether a response is an HTTP error and not a JSON-RPC one. */
export function isHttpError({ message, status }: BufferedResponse): boolean {
  return status >= 400 && message === undefined;
}

/** Its status and what the server says of it, for an error's message. */
export function describeAnswer({ said, status }: BufferedResponse): string {
  return `the server answered with HTTP status ${status}${said && ` (${said})`}`;
}

/** Returns the same, and what a user can do about it. */
export function describeWithHint(answer: BufferedResponse): string {
  return `${describeAnswer(answer)}${answer.hint}`;
}

/** Methods of the requests that begin a connection. */
const OPENING: ReadonlySet<string> = new Set(["initialize", "server/discover"]);

/** Returns whether a request begins a connection. */
export function beginsConnection(method: string | undefined): boolean {
  return method !== undefined && OPENING.has(method);
}

/** Returns why a server refused the request that begins a connection, the likely reason, and what to do about it. */
export function describeRefusedOpening(answer: BufferedResponse): string {
  return `${describeAnswer(answer)}${openingHint(answer)}`;
}

const NO_ENDPOINT =
  "check that the URL is the server's Streamable HTTP endpoint, which often ends in /mcp";

/** What statuses of a refused connection mean, if the general hint does not say it. */
const OPENING_HINTS: Readonly<Record<number, string>> = {
  400: `: it does not accept this request; ${NO_ENDPOINT}`,
  404: `: nothing is served at this URL; ${NO_ENDPOINT}`,
  405: `: it may speak the old HTTP+SSE transport, which is not supported; ${NO_ENDPOINT}`,
  406: `: it offers neither JSON nor a stream of events at this URL; ${NO_ENDPOINT}`,
  415: `: it does not accept JSON at this URL; ${NO_ENDPOINT}`,
  429: ": it received too many requests; try again later",
  500: ": the server failed; see its own log",
};
const UNAVAILABLE =
  ": the server, or a proxy in front of it, cannot accept requests now; check that it runs";

function openingHint({ status, hint, retry }: BufferedResponse): string {
  if (status < 300) return `${hint}; ${NO_ENDPOINT}`;
  if (retry !== "") return retry;
  return OPENING_HINTS[status] ?? (status > 500 ? UNAVAILABLE : hint);
}

/**
 * Returns why requests have no response in the received message.
 * @param answer undefined if it was a stream
 * @param others ids of responses that belong to none of the requests
 * @param method of the only request
 */
export function missingResponseReason(
  answer: BufferedResponse | undefined,
  others: readonly string[],
  method: string | undefined,
): Error {
  if (others.length > 0) return new UpstreamError(`the server sent a ${unexpectedIdsText(others)}`);
  if (answer === undefined) {
    return new UpstreamError("the server's stream ended without a response");
  }
  const reason = beginsConnection(method)
    ? describeRefusedOpening(answer)
    : describeWithHint(answer);
  return answer.status < 300 ? new UnreadableResponseError(reason) : new UpstreamError(reason);
}

function isMessage(body: Uint8Array): boolean {
  return hasJsonRpcResponse(readFrame(body, { outline: true }));
}

/**
 * Returns the error on a request's id, if the server refused its POST with an error status and an error that has no
 * id (MCP, Transports, Sending Messages to the Server). Undefined for anything else.
 */
export function refusalWithId(
  { message, status }: BufferedResponse,
  id: string,
): Uint8Array | undefined {
  if (message === undefined || status < 400) return undefined;
  const frame = readFrame(message);
  return frame.kind === "error" && lacksId(frame) ? errorWithId(frame, id) : undefined;
}

const HINT_401 =
  ": it wants credentials; give them with --header Authorization=…, or under headers in the server's entry";
const HINT_LOGIN =
  ". If it asks for an OAuth login, let mcp-remote log in: touchstone wrap -- npx -y mcp-remote URL";

/**
 * Returns what an HTTP status means: why it is not a response, and what a user can do about it.
 * @param type the body's media type; empty if it has none
 * @param retry when to send the request again
 */
function hintFor(status: number, type: string, retry: string): string {
  if (status < 300) return ` and ${type || "no content type"} instead of a JSON-RPC message`;
  if (status === 401) return HINT_401;
  if (status === 403) return ": it refuses these credentials";
  if (status === 404) return ": check the URL, or begin a new session with initialize";
  if (status === 405) return ": it may speak the old HTTP+SSE transport, which is not supported";
  return retry;
}

const SECONDS = /^\d{1,9}$/;

/** Returns when to send the request again (RFC 9110, section 10.2.3); empty if the form is unknown. */
function retryHint(retryAfter: HeaderFields[string]): string {
  if (typeof retryAfter !== "string") return "";
  if (SECONDS.test(retryAfter)) return `: try again in ${Number(retryAfter)} s`;
  const time = Date.parse(retryAfter);
  if (Number.isNaN(time)) return "";
  const date = new Date(time);
  // The only form that RFC 9110 allows servers to write: `Date` accepts much else.
  return date.toUTCString() === retryAfter ? `: try again after ${date.toISOString()}` : "";
}

const MAX_SHOWN = 200;
/** Longer bodies are pages, not sentences. */
const MAX_BYTES = 65_536;
/** Members in which servers describe an error: RFC 6750 and 6749, RFC 9457, and those of frameworks. */
const WORDS = ["error_description", "message", "detail", "title", "error"];

/**
 * Returns the description in an HTTP error's body: its text, or a member of its JSON (`error_description` of OAuth,
 * `detail` of RFC 9457, …). On one line of at most 200 characters, without control characters; empty if there is
 * nothing to show, as for an HTML page. Never throws.
 *
 * @param type the body's media type; empty if it has none
 */
export function httpErrorText(body: Uint8Array, type: string): string {
  if (body.length === 0 || body.length > MAX_BYTES) return "";
  const text = Buffer.from(body).toString("utf8");
  if (type === "text/plain") return shown(text);
  if (type !== "application/json" && !type.endsWith("+json")) return "";
  try {
    return shown(wordsIn(JSON.parse(text)));
  } catch {
    return "";
  }
}

function wordsIn(value: unknown): string {
  if (typeof value === "string") return value;
  if (!isObject(value)) return "";
  for (const name of WORDS) {
    const words = Object.hasOwn(value, name) ? wordsIn(value[name]) : "";
    if (words !== "") return words;
  }
  return "";
}

function shown(words: string): string {
  return visible(words.trim().replace(/\s+/g, " "), MAX_SHOWN);
}
