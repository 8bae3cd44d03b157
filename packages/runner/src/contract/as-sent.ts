/** Returns what a value is when its JSON text is read; the value itself if it has none that could be sent. */
export function asSent(value: unknown): unknown {
  try {
    const text: unknown = JSON.stringify(value);
    return typeof text === "string" ? JSON.parse(text) : undefined;
  } catch {
    return value;
  }
}
