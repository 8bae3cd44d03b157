/** Returns a value as it is read back from its JSON text; the value itself if making that text throws. */
export function jsonCopy(value: unknown): unknown {
  try {
    const text: unknown = JSON.stringify(value);
    return typeof text === "string" ? JSON.parse(text) : undefined;
  } catch {
    return value;
  }
}
