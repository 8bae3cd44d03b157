/** Where a form's schema keeps what is told beside the field: its default and its format. */
export const HINT = "x-hint";

const MAX_HINT = 80;

/**
 * What is told beside the field of a schema.
 * @param text of the default, as it is written
 */
export function hintOf(schema: Readonly<Record<string, unknown>>, text?: string): string {
  const { format, default: value } = schema;
  const hints: string[] = [];
  if (typeof format === "string") hints.push(format);
  if (value !== undefined) hints.push(`default ${text ?? JSON.stringify(value)}`);
  const hint = hints.join(", ");
  return hint.length > MAX_HINT ? `${hint.slice(0, MAX_HINT)}…` : hint;
}
