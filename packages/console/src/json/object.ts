export type JsonObject = Readonly<Record<string, unknown>>;

/** Returns whether a parsed JSON value is an object. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
