import { type JsonRange, locateJson } from "@touchstone/core/advanced";
import { type Frame, memberRange, readFrame, spliceFrame } from "@touchstone/protocol/advanced";
import type { Era } from "../eras/era.ts";

/*
 * A response of one era for a client of the other one. From 2026-07-28 on, every result names its type, and some say how
 * long they may be cached (MCP 2026-07-28, Base Protocol; Caching). Nothing else is changed.
 */

/** The methods whose results say how long they may be cached. */
const CACHEABLE: ReadonlySet<string> = new Set([
  "prompts/list",
  "resources/list",
  "resources/read",
  "resources/templates/list",
  "server/discover",
  "tools/list",
]);
const CACHE = '"ttlMs":0,"cacheScope":"private"';
const MODERN_MEMBERS = { result: { resultType: true, ttlMs: true, cacheScope: true } } as const;
const CLOSE_OBJECT = 0x7d;
const SPACE = 0x20;

/** Returns a recorded response with the id of a request. Everything else stays as it was recorded. */
export function withRequestId(frame: Frame, id: string): Uint8Array {
  const range = frame.ranges.id;
  return range === undefined ? frame.bytes : spliceFrame(frame.bytes, [{ range, text: id }]);
}

/** Returns a notification with the progress token of a request; undefined if it has none for this progress. */
export function withProgressToken(frame: Frame, token: string | undefined): Uint8Array | undefined {
  if (frame.method !== "notifications/progress") return frame.bytes;
  const range = frame.ranges.progressToken;
  if (range === undefined || token === undefined) return undefined;
  return spliceFrame(frame.bytes, [{ range, text: token }]);
}

/** Returns a result's first members from 2026-07-28 on, as source text. */
export function modernMembers(method: string): string {
  return CACHEABLE.has(method) ? `"resultType":"complete",${CACHE}` : '"resultType":"complete"';
}

/**
 * Returns a response as a client of another era reads it; undefined if more than the envelope differs: the response asks
 * for input, which earlier revisions do with a request of the server.
 */
export function inEra(response: Uint8Array, method: string, era: Era): Uint8Array | undefined {
  const frame = readFrame(response);
  const { result } = frame.ranges;
  if (frame.kind !== "response" || result === undefined) return response;
  if (era.namesResultType) return addModernMembers(response, result, method);
  const { resultType } = frame;
  if (resultType !== undefined && resultType !== "complete") return undefined;
  return withoutModernMembers(response);
}

function addModernMembers(bytes: Uint8Array, { start }: JsonRange, method: string): Uint8Array {
  let next = start + 1;
  while ((bytes[next] ?? CLOSE_OBJECT) <= SPACE) next += 1;
  const members = modernMembers(method);
  const text = bytes[next] === CLOSE_OBJECT ? members : `${members},`;
  return spliceFrame(bytes, [{ range: { start: start + 1, end: start + 1 }, text }]);
}

function withoutModernMembers(bytes: Uint8Array): Uint8Array {
  let left = bytes;
  for (const name of ["resultType", "ttlMs", "cacheScope"]) {
    const range = locateJson(left, { members: MODERN_MEMBERS }).members.get(`/result/${name}`);
    if (range !== undefined)
      left = spliceFrame(left, [{ range: memberRange(left, range), text: "" }]);
  }
  return left;
}
