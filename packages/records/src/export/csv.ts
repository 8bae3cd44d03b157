import { type ActivityRecord, RECORD_FIELDS } from "../record.ts";

const NAMES = RECORD_FIELDS.map(([name]) => name);

/** The first line: the names of the fields (RFC 4180, section 2). */
export const CSV_HEADER: string = `${NAMES.join(",")}\r\n`;

/**
 * Returns a record as one line of RFC 4180. Absent fields are empty; `issues` and `guard` are JSON text. A text that
 * a spreadsheet would treat as a formula begins with an apostrophe
 * (https://owasp.org/www-community/attacks/CSV_Injection).
 */
export function toCsv(record: ActivityRecord): string {
  return `${NAMES.map((name) => cell(record[name])).join(",")}\r\n`;
}

/** First characters of a formula, including full-width forms. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;

function cell(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return String(value);
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const inert = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}
