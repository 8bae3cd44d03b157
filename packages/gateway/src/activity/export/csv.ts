import type { ActivityRecord } from "../record.ts";

const FIELDS = [
  "id",
  "time",
  "type",
  "source",
  "server",
  "tool",
  "direction",
  "mode",
  "decision",
  "status",
  "outcome",
  "reason",
  "issues",
  "guard",
  "schema_hash",
  "client",
  "session",
  "request_id",
  "bytes_in",
  "bytes_out",
  "duration_ms",
  "arguments",
  "result",
  "redactions",
  "prev_hash",
  "hash",
] as const satisfies readonly (keyof ActivityRecord)[];

/** The first line: the names of the fields (RFC 4180, section 2). */
export const CSV_HEADER: string = `${FIELDS.join(",")}\r\n`;

/**
 * A record as one line of RFC 4180. Absent fields are empty; `issues` and `guard` are JSON text. A
 * text that a spreadsheet would take for a formula begins with an apostrophe
 * (https://owasp.org/www-community/attacks/CSV_Injection).
 */
export function toCsv(record: ActivityRecord): string {
  return `${FIELDS.map((field) => cell(record[field])).join(",")}\r\n`;
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return String(value);
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const inert = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}
