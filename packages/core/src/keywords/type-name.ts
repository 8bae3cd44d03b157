/** The names that `type` knows (JSON Schema 2020-12 Validation, section 6.1.1). */
export type TypeName = "array" | "boolean" | "integer" | "null" | "number" | "object" | "string";

const NAMES: ReadonlySet<unknown> = new Set<TypeName>([
  "array",
  "boolean",
  "integer",
  "null",
  "number",
  "object",
  "string",
]);

/** Whether a value is such a name. */
export function isTypeName(value: unknown): value is TypeName {
  return NAMES.has(value);
}
