import { isObject, parseJson } from "@touchstone/core/advanced";
import { ERROR_CODES } from "../codes.ts";
import type { Frame } from "../frame.ts";

/** Largest `data` of an error that is read, in bytes. */
const MAX_DATA = 16_384;
/** How many revisions to name. */
const MAX_SHOWN = 8;
/** Matches the form of a revision. Any other text of a peer is not repeated in messages. */
const VERSION = /^[\w.-]{1,32}$/;

/** Returns the texts in a list that look like revisions, at most 8. */
function revisionsIn(value: unknown): readonly string[] {
  if (!Array.isArray(value)) return [];
  const found = value.filter((one): one is string => typeof one === "string" && VERSION.test(one));
  return [...new Set(found)].slice(0, MAX_SHOWN);
}

/** Returns why two peers have no revision in common, and what to do about it. */
export function describeRefusedRevision(supported: readonly string[], requested: string): string {
  if (supported.includes(requested)) {
    return `this server refuses the revision ${requested}, although it names it as supported`;
  }
  const named = supported.join(", ");
  return `this server speaks only ${named}, and this client asked for ${requested}; use a client that speaks ${supported.length === 1 ? named : "one of these"}, or a version of the server that speaks ${requested}`;
}

/** What is known about the request that a server refused. */
interface Refused {
  readonly method: string;
  /** The revision of the request, if known; else the one that the error names. */
  readonly requested: string | undefined;
}

/**
 * Returns why a server refused a client's revision, if its error says which revisions it supports (MCP 2025-11-25,
 * Lifecycle, Error Handling; 2026-07-28, Versioning). Undefined for any other message.
 */
export function refusedRevision(frame: Frame, asked: Refused): string | undefined {
  if (frame.kind !== "error" || frame.errorCode === undefined) return undefined;
  const range = frame.range("/error/data");
  const data = range && frame.bytes.subarray(range.start, range.end);
  return refusedRevisionBy(frame.errorCode, data, asked);
}

/** Does the same for the code and the JSON text of the `data` of an error. */
export function refusedRevisionBy(
  code: number,
  data: string | Uint8Array | undefined,
  { method, requested }: Refused,
): string | undefined {
  const isOlder = code === ERROR_CODES.invalidParams && method === "initialize";
  if (!isOlder && code !== ERROR_CODES.unsupportedProtocolVersion) return undefined;
  if (data === undefined || data.length > MAX_DATA) return undefined;
  const parsed = parseJson(data);
  if (!parsed.ok || !isObject(parsed.value)) return undefined;
  const supported = revisionsIn(parsed.value["supported"]);
  const [asked] = revisionsIn([requested ?? parsed.value["requested"]]);
  if (supported.length === 0 || asked === undefined) return undefined;
  return describeRefusedRevision(supported, asked);
}
