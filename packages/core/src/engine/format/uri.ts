import { CODE_UNITS, characterTable, DIGITS, isIpv6, isPercentEscape, LETTERS } from "./address.ts";

const COMMON = "A-Za-z\\d\\-._~!$&'()*+,;=";

/** `ucschar` and `iprivate` of RFC 3987, section 2.2, as a class of a regular expression. */
const UCS: string = `\\u{a0}-\\u{d7ff}\\u{f900}-\\u{fdcf}\\u{fdf0}-\\u{ffef}${[...Array(14).keys()]
  .map((i) => (i + 1).toString(16))
  .map((plane) => `\\u{${plane}${plane === "e" ? "1" : "0"}000}-\\u{${plane}fffd}`)
  .join("")}`;
export const PRIVATE_USE = "\\u{e000}-\\u{f8ff}\\u{f0000}-\\u{ffffd}\\u{100000}-\\u{10fffd}";

/**
 * Makes a pattern for whatever is neither in the class nor an escape of RFC 3986, section 2.1. Searching for a single
 * character takes linear time.
 */
function strayFrom(characters: string): RegExp {
  return new RegExp(`[^${characters}%]|%(?![\\dA-Fa-f]{2})`, "u");
}

/** Patterns for what the parts of a reference must not contain. */
interface Strays {
  readonly user: RegExp;
  readonly host: RegExp;
  readonly path: RegExp;
  readonly query: RegExp;
  readonly fragment: RegExp;
}

function strays(other: string, inQuery: string): Strays {
  return {
    user: strayFrom(`${COMMON}:${other}`),
    host: strayFrom(`${COMMON}${other}`),
    path: strayFrom(`${COMMON}:@/${other}`),
    query: strayFrom(`${COMMON}:@/?${other}${inQuery}`),
    fragment: strayFrom(`${COMMON}:@/?${other}`),
  };
}

const URI_STRAYS = strays("", "");
const IRI_STRAYS = strays(UCS, PRIVATE_USE);

const SCHEME = /^[a-z][a-z\d+.-]*$/i;
const IP_FUTURE = /^v[\da-f]+\.[-a-z\d._~!$&'()*+,;=:]+$/i;
const PORT = /^\d*$/;

/** The parts of a reference, as written (RFC 3986, section 3). */
export interface UriParts {
  readonly scheme?: string;
  readonly authority?: string;
  readonly path: string;
  readonly query?: string;
  readonly fragment?: string;
}

function isAuthority(text: string, { user, host }: Strays): boolean {
  const at = text.indexOf("@");
  if (at >= 0 && user.test(text.slice(0, at))) return false;
  const hostPort = text.slice(at + 1);
  if (hostPort.startsWith("[")) {
    const close = hostPort.indexOf("]");
    if (close < 0) return false;
    const address = hostPort.slice(1, close);
    const port = hostPort.slice(close + 1);
    if (!isIpv6(address) && !IP_FUTURE.test(address)) return false;
    return port === "" || (port.startsWith(":") && PORT.test(port.slice(1)));
  }
  const colon = hostPort.indexOf(":");
  const name = colon < 0 ? hostPort : hostPort.slice(0, colon);
  return (colon < 0 || PORT.test(hostPort.slice(colon + 1))) && !host.test(name);
}

/** Splits at the delimiters only, as in RFC 3986, appendix B. */
function split(text: string): UriParts {
  const parts: { -readonly [Name in keyof UriParts]: UriParts[Name] } = { path: "" };
  let rest = text;
  const hash = rest.indexOf("#");
  if (hash >= 0) {
    parts.fragment = rest.slice(hash + 1);
    rest = rest.slice(0, hash);
  }
  const mark = rest.indexOf("?");
  if (mark >= 0) {
    parts.query = rest.slice(mark + 1);
    rest = rest.slice(0, mark);
  }
  const colon = rest.indexOf(":");
  if (colon >= 0 && SCHEME.test(rest.slice(0, colon))) {
    parts.scheme = rest.slice(0, colon);
    rest = rest.slice(colon + 1);
  }
  if (rest.startsWith("//")) {
    const slash = rest.indexOf("/", 2);
    parts.authority = slash < 0 ? rest.slice(2) : rest.slice(2, slash);
    rest = slash < 0 ? "" : rest.slice(slash);
  }
  parts.path = rest;
  return parts;
}

/** Without a scheme, the first segment must not contain a colon, which would end a scheme (`path-noscheme`). */
function startsWithColonSegment(path: string): boolean {
  const colon = path.indexOf(":");
  return colon >= 0 && !path.slice(0, colon).includes("/");
}

/**
 * Parses a `URI-reference` of RFC 3986, or with `international` an `IRI-reference` of RFC 3987, in one pass for each
 * part.
 * @returns undefined if it is not one
 */
function parseUri(text: string, international = false): UriParts | undefined {
  const parts = split(text);
  const stray = international ? IRI_STRAYS : URI_STRAYS;
  const { scheme, authority, path, query = "", fragment = "" } = parts;
  if (authority !== undefined && !isAuthority(authority, stray)) return undefined;
  if (scheme === undefined && authority === undefined && startsWithColonSegment(path)) {
    return undefined;
  }
  const valid =
    !stray.path.test(path) && !stray.query.test(query) && !stray.fragment.test(fragment);
  return valid ? parts : undefined;
}

/** Checks for a `URI` of RFC 3986, section 3. */
export function isUri(text: string): boolean {
  return parseUri(text)?.scheme !== undefined;
}

/** Checks for a `URI-reference` of RFC 3986, section 4.1. */
export function isUriReference(text: string): boolean {
  return parseUri(text) !== undefined;
}

/** Checks for an `IRI` of RFC 3987, section 2.2. */
export function isIri(text: string): boolean {
  return parseUri(text, true)?.scheme !== undefined;
}

/** Checks for an `IRI-reference` of RFC 3987, section 2.2. */
export function isIriReference(text: string): boolean {
  return parseUri(text, true) !== undefined;
}

const WEB_SCHEME = /^(?:https?|ftp)$/i;

/**
 * Checks for an IRI with a host and the scheme `http`, `https` or `ftp`, which is what ajv-formats means by `url`.
 */
export function isUrl(text: string): boolean {
  const parts = parseUri(text, true);
  if (parts?.scheme === undefined || !WEB_SCHEME.test(parts.scheme)) return false;
  const { authority } = parts;
  if (authority === undefined) return false;
  const host = authority.slice(authority.indexOf("@") + 1);
  return host !== "" && !host.startsWith(":");
}

/** `literals` of RFC 6570, section 2.1, with the apostrophe that erratum 6937 adds. */
const STRAY = strayFrom(`A-Za-z\\d!#$&'()*+,\\-./:;=?@\\[\\]_~${UCS}${PRIVATE_USE}`);
/** `operator` of section 2.2. */
const OPERATORS = characterTable("+#./;?&=,!@|");
const VARCHAR = characterTable(`${LETTERS}${DIGITS}_`);
const MODIFIER = /^(?::[1-9]\d{0,3}|\*)?$/;

/** Checks for a `varspec` of section 2.3 with its modifier of section 2.4. */
function isVariable(text: string): boolean {
  let at = 0;
  // Whether the name must not end here: at its start and after a dot.
  let open = true;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (VARCHAR[code] === 1) open = false;
    else if (isPercentEscape(text, at)) {
      at += 2;
      open = false;
    } else if (code === CODE_UNITS.dot && !open) open = true;
    else break;
  }
  // The longest modifier is five characters long.
  return !open && text.length - at <= 5 && MODIFIER.test(text.slice(at));
}

function isExpression(text: string): boolean {
  const names = OPERATORS[text.charCodeAt(0)] === 1 ? text.slice(1) : text;
  return names.split(",").every(isVariable);
}

/** Checks for a `URI-Template` of RFC 6570, section 2. */
export function isUriTemplate(text: string): boolean {
  let at = 0;
  for (let open = text.indexOf("{"); open >= 0; open = text.indexOf("{", at)) {
    const close = text.indexOf("}", open);
    if (close < 0 || !isExpression(text.slice(open + 1, close))) return false;
    if (STRAY.test(text.slice(at, open))) return false;
    at = close + 1;
  }
  return !STRAY.test(text.slice(at));
}
