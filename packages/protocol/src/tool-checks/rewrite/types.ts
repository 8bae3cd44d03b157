import { isObject, type JsonObject } from "@touchstone/core/advanced";
import { ANNOTATIONS, withoutKeywords } from "./map-schemas.ts";

/** Keywords that apply to one type only (JSON Schema 2020-12, Validation, section 6). */
const OF_TYPE: Readonly<Record<string, readonly string[]>> = {
  object: [
    ..."properties required additionalProperties patternProperties propertyNames".split(" "),
    ..."minProperties maxProperties dependentRequired dependentSchemas dependencies".split(" "),
    "unevaluatedProperties",
  ],
  array: [
    ..."items prefixItems additionalItems minItems maxItems uniqueItems contains".split(" "),
    ..."minContains maxContains unevaluatedItems".split(" "),
  ],
  string: ["minLength", "maxLength", "pattern", "format"],
  number: ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
};

function foreignTo(type: string): readonly string[] {
  const own = type === "integer" ? "number" : type;
  // A format may also apply to numbers.
  const kept = new Set([...(OF_TYPE[own] ?? []), ...(own === "number" ? ["format"] : [])]);
  return Object.values(OF_TYPE)
    .flat()
    .filter((keyword) => !kept.has(keyword));
}

/** Keywords that stay outside the branches: annotations, and what references and identifiers need to resolve. */
const AROUND: ReadonlySet<string> = new Set([
  ...ANNOTATIONS,
  ..."$schema $id id $defs definitions".split(" "),
]);

function isOf(type: string, value: unknown): boolean {
  switch (type) {
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return isObject(value);
    case "integer":
      // A number too large for a double may be whole; the schema's type decides.
      return typeof value === "number" && (Number.isInteger(value) || !Number.isFinite(value));
    default:
      return typeof value === type;
  }
}

/**
 * Rewrites a list of types as `anyOf`, with one schema for each type; undefined if there is no list, or it cannot be
 * rewritten.
 */
export function splitTypes(schema: JsonObject): JsonObject | undefined {
  const { type: types } = schema;
  if (!Array.isArray(types) || types.some((type) => typeof type !== "string")) return undefined;
  const [only] = types;
  if (types.length === 1) return { ...schema, type: only };
  if (schema["anyOf"] !== undefined) return undefined;
  const outside = Object.keys(schema).filter((keyword) => AROUND.has(keyword));
  const rest = withoutKeywords(schema, [...outside, "type"]);
  const branches = types.flatMap((type: string): JsonObject[] => {
    const own = { type, ...withoutKeywords(rest, foreignTo(type)) };
    const { enum: values } = rest;
    if (!Array.isArray(values)) return [own];
    const fitting = values.filter((value) => isOf(type, value));
    return fitting.length === 0 ? [] : [{ ...own, enum: fitting }];
  });
  if (branches.length === 0) return undefined;
  const around = Object.fromEntries(outside.map((keyword) => [keyword, schema[keyword]]));
  return { ...around, anyOf: branches };
}

/** Returns whether it is certain that no value satisfies two of the schemas. */
export function areDisjoint(branches: readonly unknown[]): boolean {
  const lists = branches.map((branch) => (isObject(branch) ? scalars(branch) : undefined));
  // Usually all of them list values, possibly many. Then no pairs are compared.
  if (lists.every((list) => list !== undefined)) {
    const all = new Set(lists.flatMap((list) => [...list]));
    return all.size === lists.reduce((sum, { size }) => sum + size, 0);
  }
  return branches.every((a, i) =>
    branches.slice(i + 1).every((b) => isObject(a) && isObject(b) && apart(a, b)),
  );
}

/** Returns the values that a schema lists, if none of them is an object or array. */
function scalars({ const: only, enum: values }: JsonObject): ReadonlySet<unknown> | undefined {
  const list = only !== undefined ? [only] : Array.isArray(values) ? values : undefined;
  return list?.every((value) => typeof value !== "object") === true ? new Set(list) : undefined;
}

function apart(a: JsonObject, b: JsonObject): boolean {
  const [mine, theirs] = [scalars(a), scalars(b)];
  if (mine && theirs) return ![...mine].some((value) => theirs.has(value));
  const [type, other] = [a["type"], b["type"]];
  if (typeof type !== "string" || typeof other !== "string") return false;
  const numbers = new Set(["number", "integer"]);
  if (type !== other) return !(numbers.has(type) && numbers.has(other));
  return type === "object" && toldApart(a, b);
}

/** Returns whether both schemas require a property for which they allow no common value. */
function toldApart(a: JsonObject, b: JsonObject): boolean {
  const [mine, theirs] = [a["properties"], b["properties"]];
  if (!isObject(mine) || !isObject(theirs)) return false;
  const required = (schema: JsonObject): readonly unknown[] =>
    Array.isArray(schema["required"]) ? schema["required"] : [];
  return required(a).some((name) => {
    if (typeof name !== "string" || !required(b).includes(name)) return false;
    const [one, other] = [mine[name], theirs[name]];
    return isObject(one) && isObject(other) && apart(one, other);
  });
}
