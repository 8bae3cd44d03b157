import { REDACTED } from "../activity/bodies/secret-text.ts";

/** Words that say where something is. Any other one may be what lets a client in. */
const PLACES =
  /^(?:mcp|mcp[-_]server|sse|api|rpc|jsonrpc|http|stream|streamable(?:[-_]?http)?|messages?|servers?|services?|tools?|public|gateway|proxy|connect|v\d{1,3}(?:[.-]\w{1,8})?|\d{4}-\d\d-\d\d)$/i;

/** Whether a segment of a URL's path may be a key: no word that is known, and longer than three characters. */
function isKeySegment(segment: string): boolean {
  return segment.length > 3 && !PLACES.test(segment);
}

/**
 * A path (RFC 3986, section 3.3) without its segments that may be keys.
 * @param instead what stands where one stood
 */
export function withoutKeys(path: string, instead: string = REDACTED): string {
  const shown = (segment: string): string => (isKeySegment(segment) ? instead : segment);
  return path.split("/").map(shown).join("/");
}

/**
 * A URL without what may be secret in it: user, query, fragment, and segments of its path that may be keys,
 * since many services tell their clients apart by nothing else. Nothing where there is none.
 */
export function shownUrl(url: string): string {
  if (url === "") return "";
  const { origin, pathname } = new URL(url);
  return origin + withoutKeys(pathname);
}
