import { isObject, type JsonObject } from "@touchstone/core/advanced";
import { acceptsKeyword } from "../lint/providers/accepted-keywords.ts";
import type { Provider } from "../lint/providers/provider.ts";
import { withoutKeywords } from "./map-schemas.ts";

/** Returns the values that a schema lists, in `const` or `enum`; undefined if it lists none. */
function valuesOf(schema: JsonObject): readonly unknown[] | undefined {
  if (Object.hasOwn(schema, "const")) return [schema["const"]];
  const { enum: values } = schema;
  return Array.isArray(values) && values.length > 0 ? values : undefined;
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value !== "number") return typeof value;
  return Number.isInteger(value) ? "integer" : "number";
}

/** Returns whether a provider accepts listed values only if they are texts. */
function wantsTexts(provider: Provider): boolean {
  return provider.places["enum-type"] !== undefined;
}

/** Adds a `type` to a schema with listed values that are not all texts, if the provider requires types. */
export function nameListedTypes(schema: JsonObject, provider: Provider): JsonObject {
  const values = valuesOf(schema);
  if (provider.places["type-missing"] === undefined || values === undefined) return schema;
  if (schema["type"] !== undefined || Object.hasOwn(schema, "$ref")) return schema;
  if (Array.isArray(schema["anyOf"]) || Array.isArray(schema["oneOf"])) return schema;
  const types = [...new Set(values.map(typeOf))];
  const [only] = types;
  const isText = types.length === 1 && only === "string";
  if (isText || (!wantsTexts(provider) && !Object.hasOwn(schema, "const"))) return schema;
  return { ...schema, type: types.length === 1 ? only : types };
}

/**
 * Replaces listed values by other keywords that accept the same: null by its type, consecutive whole numbers by their
 * bounds, true and false by the type boolean.
 */
export function enumToConstraints(schema: JsonObject, provider: Provider): JsonObject {
  const values = valuesOf(schema);
  const { type } = schema;
  if (values === undefined || typeof type !== "string" || !isRefused(schema, provider)) {
    return schema;
  }
  const rest = withoutKeywords(schema, ["enum", "const"]);
  if (type === "null") return values.includes(null) ? rest : schema;
  if (type === "boolean") {
    return values.includes(true) && values.includes(false) ? rest : schema;
  }
  const isNumber = type === "integer" || type === "number";
  if (!isNumber || !values.every((value) => Number.isSafeInteger(value))) return schema;
  const numbers = new Set(values as readonly number[]);
  const [least, most] = boundsOf([...numbers]);
  if (most - least !== numbers.size - 1) return schema;
  const hasBounds = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"].some((keyword) =>
    Object.hasOwn(schema, keyword),
  );
  if (hasBounds) return schema;
  return { ...rest, type: "integer", minimum: least, maximum: most };
}

/** Returns the least and the largest of some numbers. There may be too many for one call of `Math.min`. */
function boundsOf(numbers: readonly number[]): readonly [least: number, most: number] {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const number of numbers) {
    least = Math.min(least, number);
    most = Math.max(most, number);
  }
  return [least, most];
}

/** Removes a list of values that a provider does not accept, and names the type of the values instead. */
export function dropEnum(schema: JsonObject, provider: Provider): JsonObject {
  const values = valuesOf(schema);
  if (values === undefined || !isRefused(schema, provider)) return schema;
  const { type } = schema;
  const isNumber = type === "integer" || type === "number";
  const numbers = values.filter((value) => typeof value === "number");
  const isBounded = isNumber && numbers.length === values.length && numbers.every(Number.isFinite);
  const [minimum, maximum] = boundsOf(numbers);
  const bounds = isBounded && { minimum, maximum };
  return { ...(bounds || {}), ...withoutKeywords(schema, ["enum", "const"]) };
}

/** Leaves the empty text out of the values to choose from, for a provider that refuses it. */
export function dropEmptyText(schema: JsonObject, provider: Provider): JsonObject {
  const { enum: values } = schema;
  if (provider.places["enum-empty"] === undefined || !Array.isArray(values)) return schema;
  const kept = values.filter((value) => value !== "");
  return kept.length === values.length || kept.length === 0 ? schema : { ...schema, enum: kept };
}

function isRefused(schema: JsonObject, provider: Provider): boolean {
  if (Object.hasOwn(schema, "const")) return !acceptsKeyword(provider, "const");
  return (provider.places["enum-type"]?.({ schema }, false) ?? []).length > 0;
}

const IMPLIED: readonly (readonly [type: string, keywords: readonly string[]])[] = [
  ["object", ["properties", "additionalProperties", "patternProperties", "required"]],
  ["array", ["items", "prefixItems", "minItems", "maxItems"]],
  ["string", ["pattern", "minLength", "maxLength", "format"]],
  ["number", ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]],
];
const COMPOSED = [..."type enum const $ref $dynamicRef anyOf oneOf allOf not if".split(" ")];

/** Adds the `type` to a schema whose keywords all apply to values of one type, if the provider requires types. */
export function nameImpliedType(schema: JsonObject, provider: Provider): JsonObject {
  if (provider.places["type-missing"] === undefined) return schema;
  if (COMPOSED.some((keyword) => Object.hasOwn(schema, keyword))) return schema;
  const types = IMPLIED.filter(([, keywords]) =>
    keywords.some((keyword) => Object.hasOwn(schema, keyword)),
  );
  const [only] = types;
  if (only === undefined || types.length > 1) return schema;
  if (only[0] === "object" && !isObject(schema["properties"])) return schema;
  return { ...schema, type: only[0] };
}
