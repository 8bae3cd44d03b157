import { compareDecimals, type Decimal, isIntegral, parseDecimal } from "../../json/decimal.ts";
import type { Dialect } from "../../keywords/dialect.ts";
import { isEmail, isIdnEmail } from "./email.ts";
import { isHostname, isIdnHostname, isRfc1123Hostname } from "./hostname.ts";
import { isIpv4, isIpv6 } from "./ip.ts";
import { isJsonPointer, isJsonPointerUriFragment, isRelativeJsonPointer } from "./json-pointer.ts";
import { isRegex } from "./regex.ts";
import { isDate, isDateTime, isDuration, isIsoDateTime, isIsoTime, isTime } from "./time.ts";
import { isIri, isIriReference, isUri, isUriReference, isUrl } from "./uri.ts";
import { isUriTemplate } from "./uri-template.ts";

/** Whether a text has a format, in time linear in its length. Never throws. */
export type FormatCheck = (text: string) => boolean;

/**
 * Whether a number has a format. Never throws.
 * @param exact its value, where the double is only near to it
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
  // The integers of this size are doubles.
  if (exact !== undefined) return false;
  return Number.isInteger(value) && value <= MAX_INT32 && value >= -MAX_INT32 - 1;
}

function isInt64(value: number, exact?: Decimal): boolean {
  // The double that is nearest to the largest is one above it.
  if (exact === undefined) return Number.isInteger(value) && Math.abs(value) <= 2 ** 63;
  const inRange = compareDecimals(exact, MIN_INT64) >= 0 && compareDecimals(exact, MAX_INT64) <= 0;
  return inRange && isIntegral(exact);
}

/** The formats of OpenAPI for numbers. */
const NUMBER_FORMATS: ReadonlyMap<string, NumberFormatCheck> = new Map([
  ["double", anyNumber],
  ["float", anyNumber],
  ["int32", isInt32],
  ["int64", isInt64],
]);

/** The check of a format that asserts something of strings, or undefined for every other name. */
export function formatCheck(name: string): FormatCheck | undefined {
  return TEXT_FORMATS.get(name);
}

/** The check of a format that asserts something of numbers, or undefined for every other name. */
export function numberFormatCheck(name: string): NumberFormatCheck | undefined {
  return NUMBER_FORMATS.get(name);
}

/** Before draft-07 `hostname` is what draft-03 called `host-name`: it knows no A-labels. */
const OLDER_NAMES: ReadonlyMap<string, string> = new Map([["hostname", "host-name"]]);
const OLDER: ReadonlySet<Dialect> = new Set<Dialect>(["draft-04", "draft-06"]);

/** The name of the check that a format of a dialect has; undefined where it asserts nothing. */
export function formatOf(name: string, dialect: Dialect): string | undefined {
  const checked = (OLDER.has(dialect) ? OLDER_NAMES.get(name) : undefined) ?? name;
  return TEXT_FORMATS.has(checked) || NUMBER_FORMATS.has(checked) ? checked : undefined;
}
