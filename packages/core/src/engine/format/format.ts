import { compareDecimals, type Decimal, isIntegral, parseDecimal } from "../../json/decimal.ts";
import type { Dialect } from "../../keywords/dialect.ts";
import { parsePattern } from "../pattern/parse.ts";
import {
  isEmail,
  isHostname,
  isIdnEmail,
  isIdnHostname,
  isIpv4,
  isIpv6,
  isRfc1123Hostname,
} from "./address.ts";
import { isDate, isDateTime, isDuration, isIsoDateTime, isIsoTime, isTime } from "./time.ts";
import { isIri, isIriReference, isUri, isUriReference, isUriTemplate, isUrl } from "./uri.ts";

/** Checks whether a text has a format, in time linear in its length. Never throws. */
export type FormatCheck = (text: string) => boolean;

/**
 * Checks whether a number has a format. Never throws.
 * @param exact its value, if the double is only an approximation
 */
export type NumberFormatCheck = (value: number, exact?: Decimal) => boolean;

/** A UUID of RFC 9562, section 4, without the URN prefix. */
const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;
const BASE64 = /^[A-Za-z\d+/]*={0,2}$/;
const UUID_LENGTH = 36;

function isUuid(text: string): boolean {
  return text.length === UUID_LENGTH && UUID.test(text);
}

/** Base64 of RFC 4648, section 4, with its padding. */
function isByte(text: string): boolean {
  return text.length % 4 === 0 && BASE64.test(text);
}

const anything: FormatCheck = () => true;
const anyNumber: NumberFormatCheck = () => true;

/**
 * The formats of JSON Schema (2020-12 Validation, section 7.3, and earlier drafts), and those of
 * OpenAPI and ajv-formats for strings.
 */
const TEXT_FORMATS: ReadonlyMap<string, FormatCheck> = new Map([
  ["binary", anything],
  ["byte", isByte],
  ["date", isDate],
  ["date-time", isDateTime],
  ["duration", isDuration],
  ["email", isEmail],
  // Names of draft-03.
  ["host-name", isRfc1123Hostname],
  ["ip-address", isIpv4],
  ["hostname", isHostname],
  ["idn-email", isIdnEmail],
  ["idn-hostname", isIdnHostname],
  ["ipv4", isIpv4],
  ["ipv6", isIpv6],
  ["iri", isIri],
  ["iri-reference", isIriReference],
  ["iso-date-time", isIsoDateTime],
  ["iso-time", isIsoTime],
  ["json-pointer", isJsonPointer],
  ["json-pointer-uri-fragment", isJsonPointerUriFragment],
  ["password", anything],
  ["regex", isRegex],
  ["relative-json-pointer", isRelativeJsonPointer],
  ["time", isTime],
  ["uri", isUri],
  ["uri-reference", isUriReference],
  ["uri-template", isUriTemplate],
  ["url", isUrl],
  ["uuid", isUuid],
]);

const MAX_INT32 = 2 ** 31 - 1;
const MIN_INT64 = parseDecimal("-9223372036854775808");
const MAX_INT64 = parseDecimal("9223372036854775807");

function isInt32(value: number, exact?: Decimal): boolean {
  // Integers of this size are exact as doubles.
  if (exact !== undefined) return false;
  return Number.isInteger(value) && value <= MAX_INT32 && value >= -MAX_INT32 - 1;
}

function isInt64(value: number, exact?: Decimal): boolean {
  // The double nearest to the maximum is one above it.
  if (exact === undefined) return Number.isInteger(value) && Math.abs(value) <= 2 ** 63;
  const inRange = compareDecimals(exact, MIN_INT64) >= 0 && compareDecimals(exact, MAX_INT64) <= 0;
  return inRange && isIntegral(exact);
}

/** OpenAPI's formats for numbers. */
const NUMBER_FORMATS: ReadonlyMap<string, NumberFormatCheck> = new Map([
  ["double", anyNumber],
  ["float", anyNumber],
  ["int32", isInt32],
  ["int64", isInt64],
]);

/** Returns the check of a string format; undefined for any other name. */
export function formatCheck(name: string): FormatCheck | undefined {
  return TEXT_FORMATS.get(name);
}

/** Returns the check of a number format; undefined for any other name. */
export function numberFormatCheck(name: string): NumberFormatCheck | undefined {
  return NUMBER_FORMATS.get(name);
}

/** Before draft-07, `hostname` is what draft-03 called `host-name`: it does not know A-labels. */
const OLDER_NAMES: ReadonlyMap<string, string> = new Map([["hostname", "host-name"]]);
const OLDER: ReadonlySet<Dialect> = new Set<Dialect>(["draft-04", "draft-06"]);

/** Returns the name of the check for a format in a dialect; undefined if the format asserts nothing. */
export function formatOf(name: string, dialect: Dialect): string | undefined {
  const checked = (OLDER.has(dialect) ? OLDER_NAMES.get(name) : undefined) ?? name;
  return TEXT_FORMATS.has(checked) || NUMBER_FORMATS.has(checked) ? checked : undefined;
}

/** Matches a tilde that does not start `~0` or `~1`. */
const BARE_TILDE = /~(?![01])/;
const STEPS_UP = /^(?:0|[1-9]\d*)/;
const INDEX_MOVE = /^[+-](?:0|[1-9]\d*)/;

/** Checks for a pointer of RFC 6901, section 3. */
function isJsonPointer(text: string): boolean {
  return text === "" || (text.startsWith("/") && !BARE_TILDE.test(text));
}

/** Checks for a fragment of RFC 6901, section 6: a pointer, percent-encoded where a URI requires it. */
export function isJsonPointerUriFragment(text: string): boolean {
  return (
    text.startsWith("#") &&
    isJsonPointer(text.slice(1)) &&
    /^[a-z\d\-._~!$&'()*+,;=:@/%]*$/i.test(text.slice(1)) &&
    !/%(?![\da-f]{2})/i.test(text)
  );
}

/**
 * Checks for a pointer of draft-bhutton-relative-json-pointer-00, section 3. Accepts index moves (`0+1/a`) in every
 * draft, although drafts before 2020-12 do not have them.
 */
export function isRelativeJsonPointer(text: string): boolean {
  const up = STEPS_UP.exec(text)?.[0];
  if (up === undefined) return false;
  const rest = text.slice(up.length);
  const move = INDEX_MOVE.exec(rest)?.[0] ?? "";
  const end = rest.slice(move.length);
  return end === "#" || isJsonPointer(end);
}

/** Letters that have a meaning after a backslash (ECMA-262, section 22.2.1). */
const ESCAPES: ReadonlySet<string> = new Set("bBcdDfknpPrsStuvwWx");

/** Returns whether a backslash precedes a letter that needs none, as in the `\Z` of other languages. */
function hasForeignEscape(text: string): boolean {
  for (let at = text.indexOf("\\"); at >= 0; at = text.indexOf("\\", at + 2)) {
    const next = text.charAt(at + 1);
    if (/[a-z]/i.test(next) && !ESCAPES.has(next)) return true;
  }
  return false;
}

/**
 * Checks for a regular expression that `pattern` accepts, within the same limits: of ECMA-262, section 22.2.1, in
 * Unicode mode, or with needless escapes (`\-`) as in non-Unicode mode, since patterns are often written that way.
 * Rejects needless escapes of letters.
 */
function isRegex(text: string): boolean {
  try {
    parsePattern(text);
    return !hasForeignEscape(text);
  } catch {
    return false;
  }
}
