import { REDACTED, redactText } from "../util/secret-text.ts";

/** Words that say where something is. Any other one may be what lets a client in. */
const PLACES =
  /^(?:mcp|mcp[-_]server|sse|api|rpc|jsonrpc|http|stream|streamable(?:[-_]?http)?|messages?|servers?|services?|tools?|public|gateway|proxy|connect|v\d{1,3}(?:[.-]\w{1,8})?|\d{4}-\d\d-\d\d)$/i;

/** Returns whether a segment of a URL's path may be a key. */
export type IsKey = (segment: string) => boolean;

/** Returns true for every segment that is longer than three characters and is not a known word. */
export const mayBeKey: IsKey = (segment) => segment.length > 3 && !PLACES.test(segment);

/**
 * Returns true for a segment that is long and has digits, as if nobody had chosen it, or is a secret wherever it
 * stands. Digests use it: they must tell places apart, and show none of them.
 */
export const looksRandom: IsKey = (segment) =>
  /^(?=.*\d).{20,}$/.test(segment) || redactText(segment).redactions > 0;

/**
 * Returns a path (RFC 3986, section 3.3) without its segments that may be keys.
 * @param instead what stands where one stood
 */
export function withoutKeys(
  path: string,
  instead: string = REDACTED,
  isKey: IsKey = mayBeKey,
): string {
  const shown = (segment: string): string => (isKey(segment) ? instead : segment);
  return path.split("/").map(shown).join("/");
}

/**
 * Returns a URL without what may be secret in it: user, query, fragment, and segments of its path that may be keys,
 * since many services tell their clients apart by nothing else. Nothing if there is none.
 */
export function shownUrl(url: string, isKey: IsKey = mayBeKey): string {
  if (url === "") return "";
  const { origin, pathname } = new URL(url);
  return origin + withoutKeys(pathname, REDACTED, isKey);
}
