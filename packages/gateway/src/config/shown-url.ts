import { REDACTED, redactText } from "../activity/bodies/secret-text.ts";

/**
 * Whether a segment of a URL's path may be a key: long and with digits, as if nobody had chosen it, or a
 * secret wherever it stands.
 */
function isKeySegment(segment: string): boolean {
  return /^(?=.*\d).{20,}$/.test(segment) || redactText(segment).redactions > 0;
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
