import { FILE } from "./keys.ts";

/**
 * The JSON Schema (2020-12) of `touchstone.json`, for editors. It knows keys, types, allowed values
 * and defaults. It does not know `${NAME}`, addresses, URLs and what only holds between keys.
 */
export function configJsonSchema(): Record<string, unknown> {
  const $schema = "https://json-schema.org/draft/2020-12/schema";
  return { $schema, title: "touchstone.json", ...FILE.schema };
}

/** The keys that the object at a path of `touchstone.json` may have; none where any may stand. */
export function knownKeys(path: readonly (string | number)[]): readonly string[] {
  let schema: unknown = FILE.schema;
  for (const step of path) {
    schema = member(member(schema, "properties"), step) ?? member(schema, "additionalProperties");
  }
  const properties = member(schema, "properties");
  return typeof properties === "object" && properties !== null ? Object.keys(properties) : [];
}

function member(value: unknown, key: string | number): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
  return (value as Readonly<Record<string | number, unknown>>)[key];
}
