/**
 * Returns the JSON text of a value; undefined if it has none: a cycle, a bigint, a `toJSON` that throws, `undefined`.
 * Never throws.
 */
export function encodeJson(value: unknown): string | undefined {
  try {
    const text: unknown = JSON.stringify(value);
    return typeof text === "string" ? text : undefined;
  } catch {
    return undefined;
  }
}
