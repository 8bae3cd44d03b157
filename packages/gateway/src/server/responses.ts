import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream as NodeReadableStream } from "node:stream/web";
import { ActivityError } from "@touchstone/records/errors";
import { jsonText, errorResponse as recordsError } from "@touchstone/records/plain";
import type { Logger } from "@touchstone/util";
import { endResponse, STALL_MS } from "../transport/http/responses.ts";
import { AdminError } from "./admin/errors.ts";
import { OWN_HEADERS } from "./mcp-routes.ts";

/** Longest path to show, in UTF-16 code units. */
const MAX_PATH = 200;
/**
 * The rules of access, a session, the connection and a stream each add a listener for the end of a response, which
 * exceeds Node's default limit of ten.
 */
const MAX_LISTENERS = 20;

interface Range {
  readonly type: string;
  readonly quality: number;
}

function rangesOf(accept: string): readonly Range[] {
  return accept.split(",").map((part) => {
    const [type = "", ...parameters] = part.split(";").map((piece) => piece.trim().toLowerCase());
    const weight = parameters.find((parameter) => parameter.startsWith("q="));
    const quality = weight === undefined ? 1 : Number(weight.slice(2));
    return { type, quality: quality >= 0 && quality <= 1 ? quality : 0 };
  });
}

/** Returns the quality value of the most specific media range of a client that matches a type. */
function qualityOf(ranges: readonly Range[], wanted: readonly (readonly string[])[]): number {
  for (const types of wanted) {
    const found = ranges.filter(({ type }) => types.includes(type));
    if (found.length > 0) return Math.max(...found.map(({ quality }) => quality));
  }
  return 0;
}

const TEXT = [["text/html", "text/plain"], ["text/*"]];
const JSON_TYPES = [["application/json"], ["application/*"], ["*/*"]];

/**
 * Returns whether a client prefers text or HTML to JSON, as browsers do (RFC 9110, section 12.5.1). False for one
 * that accepts anything.
 */
export function prefersText({ headers: { accept = "" } }: IncomingMessage): boolean {
  const ranges = rangesOf(accept);
  return qualityOf(ranges, TEXT) > qualityOf(ranges, JSON_TYPES);
}

/** The served paths, each with a description. */
export type ServedPaths = readonly (readonly [what: string, path: string])[];

/**
 * Returns 404 with a text for people that lists the served paths.
 * @param reason one line
 */
export function pathList(reason: string, served: ServedPaths): Response {
  const width = Math.max(0, ...served.map(([what]) => what.length));
  const lines = served.map(([what, path]) => `${what.padEnd(width)}  ${path}`);
  const headers = { ...OWN_HEADERS, "content-type": "text/plain; charset=utf-8" };
  return new Response(`${[reason, "", ...lines].join("\n")}\n`, { status: 404, headers });
}

/** Returns a path in the form in which {@link pathList}'s reason shows it. */
export function shownPath(path: string): string {
  return path.length > MAX_PATH ? `${path.slice(0, MAX_PATH)}…` : path;
}

/** Returns JSON for simple programs, such as probes. */
export function plainResponse(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const text = JSON.stringify(body);
  return new Response(text, { status, headers: { ...headers, ...OWN_HEADERS, ...lengthOf(text) } });
}

const lengthOf = (text: string): Readonly<Record<string, string>> => ({
  "content-length": String(Buffer.byteLength(text)),
});

/** Returns JSON in the form of the API. */
export function apiResponse(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return apiText(status, JSON.stringify(body), headers);
}

/** Returns the same as {@link apiResponse} for a body that is already JSON. */
export function apiText(
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return jsonText(status, text, { ...headers, ...lengthOf(text) });
}

/** Returns `{error, code}` for an error that a route has thrown. Unexpected errors go to the log. */
export function thrownErrorResponse(error: unknown, log: Logger): Response {
  if (error instanceof ActivityError) return recordsError(error);
  const known = error instanceof AdminError ? error : internal(error, log);
  const { message, code, status, detail } = known;
  const { faults, headers, more } = detail;
  const body = { error: message, code, ...(faults === undefined ? {} : { faults }), ...more };
  return apiResponse(status, body, headers);
}

function internal(thrown: unknown, log: Logger): AdminError {
  const reason = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
  log.error("a request to the admin API failed", { reason });
  return new AdminError("INTERNAL", "The request failed; the gateway's log shows why.");
}

/**
 * Sends a response of the Fetch standard through Node's. Cancels the body when the client disconnects. A client that
 * reads slowly slows the body down; one that stops reading is disconnected, because it holds resources that others
 * wait for.
 * @param stallMs how long the client may read nothing, in milliseconds, while there is data to send
 * @throws the body's own error
 */
export async function sendResponse(
  response: Response,
  outgoing: ServerResponse,
  stallMs: number = STALL_MS,
): Promise<void> {
  const cookies = response.headers.getSetCookie();
  const headers: OutgoingHttpHeaders = Object.fromEntries(response.headers);
  // Cookies are the only header whose values must not be joined into one (RFC 9110, section 5.3).
  if (cookies.length > 0) headers["set-cookie"] = cookies;
  outgoing.writeHead(response.status, headers);
  if (response.body === null) {
    outgoing.end();
    return;
  }
  // A body with a known length is already complete, and streaming it costs several times as much.
  if (response.headers.has("content-length")) {
    endResponse(outgoing, Buffer.from(await response.arrayBuffer()));
    return;
  }
  outgoing.setMaxListeners(MAX_LISTENERS);
  outgoing.setTimeout(stallMs, () => {
    if (outgoing.writableLength > 0) outgoing.destroy();
  });
  try {
    await pipeline(Readable.fromWeb(response.body as NodeReadableStream), outgoing);
  } catch (error) {
    // A client that disconnects does not need the rest.
    if (!outgoing.closed) throw error;
  }
}
