import { parseUrl, REDACTED, redactText, withoutKnownSecrets } from "@touchstone/util";

/** Words of an address. Any other segment may be a key. */
const PLACES =
  /^(?:mcp|mcp[-_]server|sse|api|rpc|jsonrpc|http|stream|streamable(?:[-_]?http)?|messages?|servers?|services?|tools?|public|gateway|proxy|connect|v\d{1,3}(?:[.-]\w{1,8})?|\d{4}-\d\d-\d\d)$/i;

/** Returns whether a segment of a URL's path may be a key. */
export type IsKeySegment = (segment: string) => boolean;

/** Returns true for every segment that is longer than three characters and not a known word. */
export const mayBeKeySegment: IsKeySegment = (segment) =>
  segment.length > 3 && !PLACES.test(segment);

/**
 * Returns true for a segment that is long and has digits, like a generated one, or that looks like a secret in any
 * place. Digests use it: they must differ for different places without revealing them.
 */
export const looksGenerated: IsKeySegment = (segment) =>
  /^(?=.*\d).{20,}$/.test(segment) || redactText(segment).redactions > 0;

/**
 * Returns a path (RFC 3986, section 3.3) without segments that may be keys.
 * @param instead replaces such a segment
 */
export function withoutKeySegments(
  path: string,
  instead: string = REDACTED,
  isKey: IsKeySegment = mayBeKeySegment,
): string {
  const shown = (segment: string): string => (isKey(segment) ? instead : segment);
  return path.split("/").map(shown).join("/");
}

/**
 * Returns a URL without parts that may be secret: user, query, fragment, and path segments that may be keys, because
 * many services identify clients only by these. Empty if there is no URL.
 */
export function shownUrl(url: string, isKey: IsKeySegment = mayBeKeySegment): string {
  if (url === "") return "";
  const { origin: written, pathname: path } = new URL(url);
  const [origin, pathname] = [written, path].map((part) =>
    withoutKnownSecrets(part, () => REDACTED),
  ) as [string, string];
  return origin + withoutKeySegments(pathname, REDACTED, isKey);
}

/** Replaces a reference while a URL is parsed: a host, a port and a segment may be references. */
const HOLDER = "reference-to-a-variable-";
const HELD = new RegExp(`^${HOLDER}\\d+$`);
const STARTS_HELD = new RegExp(`^${HOLDER}\\d+[/?#]`);
const ASSUMED = "https://";
const REFERENCE = /\$\{[^{}]*\}/g;

/**
 * Does the same as {@link shownUrl} for a URL with references to variables, which are shown as they are written.
 * @returns undefined if it has none, or if what is around them is not an `http:` or `https:` URL
 */
export function shownUrlWithReferences(
  written: string,
  isKey: IsKeySegment = mayBeKeySegment,
): string | undefined {
  const found: string[] = [];
  const held = written.replace(REFERENCE, (reference) => {
    found.push(reference);
    return HOLDER + (found.length - 1);
  });
  if (found.length === 0) return undefined;
  if (found[0] === written) return written;
  // A reference at the beginning of the URL contains its scheme and host.
  const given = STARTS_HELD.test(held) ? ASSUMED : "";
  if (!/^https?:/i.test(given + held) || parseUrl(given + held) === undefined) return undefined;
  const shown = shownUrl(given + held, (segment) => !HELD.test(segment) && isKey(segment));
  return shown
    .slice(given.length)
    .replaceAll(new RegExp(`${HOLDER}(\\d+)`, "g"), (_, at: string) => found[Number(at)] ?? "");
}
