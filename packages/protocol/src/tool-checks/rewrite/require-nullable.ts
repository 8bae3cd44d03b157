import { isObject, type JsonObject } from "@touchstone/core/advanced";
import { mapSchemas, someSchema, withoutKeywords } from "./map-schemas.ts";

/** Keywords that do not affect null in a schema with a type. */
const OF_OTHER_TYPES: ReadonlySet<string> = new Set(
  (
    "type title description default examples deprecated readOnly writeOnly $comment format pattern minLength maxLength " +
    "minimum maximum exclusiveMinimum exclusiveMaximum multipleOf items minItems maxItems uniqueItems properties " +
    "required additionalProperties minProperties maxProperties enum const"
  ).split(" "),
);
/** Keywords in which it matters that a schema refuses a value, so that nulls must not be added. */
const TURNING = [
  ..."not if then else oneOf dependentRequired dependentSchemas dependencies".split(" "),
  ..."unevaluatedProperties unevaluatedItems contains minProperties maxProperties".split(" "),
];

/**
 * Returns a schema in which every declared property is required, and may be null if it was not required before. The
 * result accepts what the given schema accepts once the nulls that the given schema refuses are removed.
 */
export function requireNullable(whole: JsonObject): JsonObject {
  if (someSchema(whole, (schema) => TURNING.some((keyword) => Object.hasOwn(schema, keyword)))) {
    return whole;
  }
  return mapSchemas(whole, (schema) => {
    const { properties, required } = schema;
    if (!isObject(properties)) return schema;
    const listed: readonly unknown[] = Array.isArray(required) ? required : [];
    const wanted = new Set(listed);
    const optional = Object.keys(properties).filter((name) => !wanted.has(name));
    if (optional.length === 0) return schema;
    const members = Object.entries(properties).map(([name, held]): [string, unknown] => [
      name,
      wanted.has(name) ? held : nullable(held),
    ]);
    return {
      ...schema,
      properties: Object.fromEntries(members),
      required: [...listed, ...optional],
    };
  });
}

/**
 * Returns a schema that accepts null in addition to what a schema accepts; the same object if it clearly accepts null
 * already.
 */
function nullable(held: unknown): unknown {
  if (held === false) return { type: "null" };
  if (!isObject(held) || takesNull(held)) return held;
  const { type, enum: values, const: only, anyOf } = held;
  const types = Array.isArray(type) ? type : [type];
  if (type !== undefined && Object.keys(held).every((keyword) => OF_OTHER_TYPES.has(keyword))) {
    const listed = Object.hasOwn(held, "const") ? [only] : values;
    return {
      ...(listed === undefined ? held : withoutKeywords(held, ["const"])),
      type: types.includes("null") ? type : [...types, "null"],
      ...(Array.isArray(listed) && { enum: listed.includes(null) ? listed : [...listed, null] }),
    };
  }
  const { title, description, ...rest } = held;
  const branches = Array.isArray(anyOf) && Object.keys(rest).length === 1 ? anyOf : [rest];
  return {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    anyOf: [...branches, { type: "null" }],
  };
}

/** Returns whether it is clear without a check that a schema accepts null. */
function takesNull(schema: JsonObject): boolean {
  const { type, enum: values, anyOf } = schema;
  const keywords = Object.keys(schema);
  if (Object.hasOwn(schema, "const")) return schema["const"] === null && keywords.length === 1;
  const isListed = values === undefined || (Array.isArray(values) && values.includes(null));
  const isTyped =
    type === undefined || type === "null" || (Array.isArray(type) && type.includes("null"));
  if (keywords.every((keyword) => OF_OTHER_TYPES.has(keyword))) return isListed && isTyped;
  const { title: _, description: __, ...rest } = schema;
  if (Object.keys(rest).length !== 1 || !Array.isArray(anyOf)) return false;
  return anyOf.some((branch) => branch === true || (isObject(branch) && takesNull(branch)));
}

/** Returns a schema with null as the default of each required property that may be null. */
export function withNullDefaults(whole: JsonObject): JsonObject {
  return mapSchemas(whole, (schema) => {
    const { properties, required } = schema;
    if (!isObject(properties) || !Array.isArray(required)) return schema;
    const wanted = new Set(required);
    const members = Object.entries(properties).map(([name, held]): [string, unknown] => [
      name,
      wanted.has(name) && isObject(held) && takesNull(held) ? { ...held, default: null } : held,
    ]);
    return { ...schema, properties: Object.fromEntries(members) };
  });
}
