/** A JSON object: neither null nor an array. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a parsed JSON value is an object. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
