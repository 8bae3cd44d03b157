import { escapeUnsafe } from "./safe-text.ts";

/**
 * Returns the JSON text of a value, on several lines or on one (for JSON Lines). It parses to exactly the value;
 * characters that a terminal could act on become `\uXXXX` (RFC 8259, section 7).
 */
export function terminalJson(value: unknown, layout: "lines" | "line"): string {
  return `${escapeUnsafe(JSON.stringify(value, null, layout === "lines" ? 2 : undefined), "json")}\n`;
}
