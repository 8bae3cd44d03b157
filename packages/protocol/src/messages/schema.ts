/** A JSON Schema (2020-12) in object form. */
export type Schema = Readonly<Record<string, unknown>>;
/** Schemas by the name of the property that they describe. */
export type Properties = Readonly<Record<string, Schema>>;
/** Schemas by the name under which {@link ref} finds them. */
export type Definitions = Readonly<Record<string, Schema>>;

/** A schema for objects, as made by {@link object}. */
export interface ObjectSchema extends Schema {
  readonly type: "object";
  readonly required: readonly string[];
  readonly properties: Properties;
}

export const ANY: Schema = {};
export const STRING: Schema = { type: "string" };
export const NUMBER: Schema = { type: "number" };
export const INTEGER: Schema = { type: "integer" };
export const BOOLEAN: Schema = { type: "boolean" };
/** Base64 with the standard alphabet and padding (RFC 4648, sections 3.2 and 4). */
export const BASE64_PATTERN = "^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$";
/** Bytes: `@format byte` in MCP's schema. There, a format is only an annotation, so a pattern checks it. */
export const BYTES: Schema = { type: "string", pattern: BASE64_PATTERN };
/** An object with any members. */
export const OBJECT: Schema = { type: "object" };
/** An array with any items. */
export const ARRAY: Schema = { type: "array" };
/** A number from 0 to 1. */
export const FRACTION: Schema = { type: "number", minimum: 0, maximum: 1 };

/**
 * Returns the schema of an object with required and optional members. Additional members are allowed, as everywhere
 * in MCP.
 */
export function object(required: Properties, optional: Properties = {}): ObjectSchema {
  const properties = { ...required, ...optional };
  return { type: "object", required: Object.keys(required), properties };
}

/**
 * Returns the same object schema with more members. Members that it already has are replaced, and stay required.
 */
export function extend(
  base: ObjectSchema,
  optional: Properties,
  required: Properties = {},
): ObjectSchema {
  return {
    ...base,
    required: [...new Set([...base.required, ...Object.keys(required)])],
    properties: { ...base.properties, ...required, ...optional },
  };
}

/** Returns a reference to the definition of this name. */
export function ref(name: string): Schema {
  return { $ref: `#/$defs/${name}` };
}

/** Returns the name of the definition if a schema is nothing but a reference to it. */
export function referencedDefinition(schema: Schema): string | undefined {
  const { $ref } = schema;
  return hasOnlyKeywords(schema, "$ref") && typeof $ref === "string"
    ? $ref.slice("#/$defs/".length)
    : undefined;
}

/** Returns whether a schema has no keywords other than these. */
export function hasOnlyKeywords(schema: Schema, ...keywords: readonly string[]): boolean {
  return Object.keys(schema).every((keyword) => keywords.includes(keyword));
}

export function listOf(items: Schema): Schema {
  return { type: "array", items };
}

/** Returns the schema of an object whose members all have the same shape. */
export function mapOf(values: Schema): Schema {
  return { type: "object", additionalProperties: values };
}

/** Returns a schema that accepts any of these strings. */
export function literal(...values: readonly string[]): Schema {
  return { type: "string", enum: values };
}

export function anyOf(...schemas: readonly Schema[]): Schema {
  return { anyOf: schemas };
}

/**
 * Returns a union of objects distinguished by a member. It accepts what `anyOf` would if every branch fixed the
 * member to its value, and reports only what is wrong with the intended branch.
 */
export function unionByMember(member: string, branches: Properties): Schema {
  return {
    type: "object",
    required: [member],
    properties: { [member]: literal(...Object.keys(branches)) },
    allOf: Object.entries(branches).map(([value, branch]) => whenMember(member, value, branch)),
  };
}

/** Applies a schema to objects whose member has this value. */
export function whenMember(
  member: string,
  value: string,
  then: Schema,
  otherwise?: Schema,
): Schema {
  const condition = {
    type: "object",
    properties: { [member]: { const: value } },
    required: [member],
  };
  return conditional(condition, then, otherwise);
}

/** Applies one schema to arrays and another to everything else. */
export function arrayOr(items: Schema, otherwise: Schema): Schema {
  return conditional(ARRAY, listOf(items), otherwise);
}

function conditional(condition: Schema, then: Schema, otherwise: Schema | undefined): Schema {
  return { if: condition, then, ...(otherwise === undefined ? {} : { else: otherwise }) };
}
