/**
 * Writes a JSON value in the canonical form of RFC 8785 (JSON Canonicalization Scheme), so that equal values give
 * equal bytes and can be hashed.
 *
 * Members with the value `undefined` are left out, as in `JSON.stringify`. Meant for small records: the recursion is
 * as deep as the value.
 *
 * @param value null, booleans, finite numbers, strings, arrays and plain objects of these
 * @returns canonical JSON text; hashes are computed over its UTF-8 bytes
 * @throws TypeError for values outside I-JSON (RFC 7493): `NaN`, infinities, lone surrogates, functions, symbols, big
 *   integers, and `undefined` outside an object
 */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value === "boolean") {
    return String(value);
  }
  if (typeof value === "string") {
    return canonicalString(value);
  }
  if (typeof value === "number") {
    if (!Number.isFinite(value)) {
      throw new TypeError(`canonical JSON has no number ${value}`);
    }
    return JSON.stringify(value);
  }
  if (Array.isArray(value)) {
    return `[${value.map(canonicalJson).join(",")}]`;
  }
  if (typeof value === "object") {
    return canonicalObject(value);
  }
  throw new TypeError(`canonical JSON has no ${typeof value}`);
}

function canonicalObject(value: object): string {
  const source = value as Readonly<Record<string, unknown>>;
  let text = "";
  for (const key of inOrder(Object.keys(source))) {
    const member = source[key];
    if (member === undefined) continue;
    text += `${text === "" ? "" : ","}${memberName(key)}:${canonicalJson(member)}`;
  }
  return `{${text}}`;
}

/** Sorts keys by their UTF-16 code units (RFC 8785, section 3.2.3). Those of records are sorted already. */
function inOrder(keys: string[]): string[] {
  for (let i = 1; i < keys.length; i += 1) {
    if ((keys[i - 1] as string) > (keys[i] as string)) return keys.sort();
  }
  return keys;
}

/** Caches the texts of names. Records have few different ones. */
const names = new Map<string, string>();
const MAX_NAMES = 256;

function memberName(key: string): string {
  const known = names.get(key);
  if (known !== undefined) return known;
  const name = canonicalString(key);
  if (names.size < MAX_NAMES && key.length < MAX_NAMES) names.set(key, name);
  return name;
}

/** Strings that JSON writes unchanged between quotes. */
const PLAIN = /^[ !#-[\]-~]*$/;
const LONE_SURROGATE = /\p{Surrogate}/u;

function canonicalString(text: string): string {
  if (PLAIN.test(text)) return `"${text}"`;
  if (LONE_SURROGATE.test(text)) {
    throw new TypeError("canonical JSON has no lone surrogates");
  }
  return JSON.stringify(text);
}
