import { OPEN_ARRAY, OPEN_OBJECT, QUOTE } from "./bytes.ts";

/** A JSON object: neither null nor an array. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Returns whether a parsed JSON value is an object. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Returns whether two JSON values are equal (JSON Schema 2020-12 Core, section 4.2.2), with numbers as doubles. Only
 * own keys count, so `toString` or `__proto__` is a key like any other.
 */
export function equalJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    return a.every((item, i) => equalJson(item, b[i]));
  }
  const left = a as Record<string, unknown>;
  const right = b as Record<string, unknown>;
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length) return false;
  return keys.every((key) => Object.hasOwn(right, key) && equalJson(left[key], right[key]));
}

/** Returns a text that is the same for equal JSON values and different for others, with members sorted by name. */
export function jsonKey(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value !== "object" || value === null) return String(value);
  if (Array.isArray(value)) return `[${value.map(jsonKey).join()}]`;
  const object = value as Record<string, unknown>;
  const members = Object.keys(object).sort();
  return `{${members.map((name) => `${JSON.stringify(name)}:${jsonKey(object[name])}`).join()}}`;
}

/** The types of JSON values (RFC 8259, section 3). */
export type JsonType = "array" | "boolean" | "null" | "number" | "object" | "string";

/** Returns the type of the value that begins with this byte, in a text that `scanJson` accepted. */
export function jsonTypeOf(firstByte: number | undefined): JsonType {
  switch (firstByte) {
    case QUOTE:
      return "string";
    case OPEN_OBJECT:
      return "object";
    case OPEN_ARRAY:
      return "array";
    case 0x6e:
      return "null";
    case 0x74:
    case 0x66:
      return "boolean";
    default:
      return "number";
  }
}
