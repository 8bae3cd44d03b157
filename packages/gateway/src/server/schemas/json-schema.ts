/** A part of an OpenAPI document, or a JSON Schema in it. */
export type Json = Readonly<Record<string, unknown>>;

type Optional<T> = { [K in keyof T]-?: undefined extends T[K] ? K : never }[keyof T];

/** Returns a reference to one of the document's schemas. */
export const ref = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });
export const text = (description?: string): Json => ({
  type: "string",
  ...(description === undefined ? {} : { description }),
});
/** RFC 3339 with milliseconds, in UTC. */
export const moment = (description?: string): Json => ({
  ...text(description),
  format: "date-time",
});
export const count = (description?: string): Json => ({
  type: "integer",
  minimum: 0,
  ...(description === undefined ? {} : { description }),
});
export const flag: Json = { type: "boolean" };
export const list = (items: Json): Json => ({ type: "array", items });
export const oneOf = (values: readonly string[]): Json => ({ type: "string", enum: values });
export const orNull = (schema: Json): Json => ({ anyOf: [schema, { type: "null" }] });

/**
 * Returns the schema of an object with exactly the members of a type, so that the compiler finds missing ones.
 * @param properties a schema for each member
 * @param optional the members that may be absent
 */
export function members<T>(
  properties: { readonly [K in keyof T]-?: Json },
  ...optional: readonly Optional<T>[]
): Json {
  const absent = new Set<PropertyKey>(optional);
  return {
    type: "object",
    required: Object.keys(properties).filter((name) => !absent.has(name)),
    properties,
    additionalProperties: false,
  };
}
