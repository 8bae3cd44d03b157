import { editDistance, isObject, isTypeName, type JsonObject } from "@touchstone/core/advanced";
import { closestKeyword, isKeyword, SCHEMA_KEYWORDS, SCHEMA_MAP_KEYWORDS } from "../keywords.ts";

/** Keywords that constrain a value, rather than only describe it. */
const ASSERTIONS: readonly string[] = [
  ...SCHEMA_MAP_KEYWORDS,
  ...SCHEMA_KEYWORDS,
  ..."enum const multipleOf maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern".split(
    " ",
  ),
  ..."maxItems minItems uniqueItems maxProperties minProperties required dependentRequired format".split(
    " ",
  ),
];
/** Names that programming languages use for types that JSON Schema calls something else. */
const ALIASES: ReadonlySet<string> = new Set(
  "str int int32 int64 float double decimal bool dict any".split(" "),
);
const TYPES = ["array", "boolean", "integer", "null", "number", "object", "string"];
/** How deeply nested schemas are examined. */
const MAX_DEPTH = 8;

/** Returns whether a text was meant as a type name: one letter off, two in a long name, or in another case. */
function nearType(text: string): boolean {
  if (text.length > 12) return false;
  const lower = text.toLowerCase();
  if (ALIASES.has(lower)) return true;
  return TYPES.some((type) => editDistance(lower, type) <= (type.length > 6 ? 2 : 1));
}

/** Returns whether a `type` is a JSON Schema type, or is meant to be. */
function isTypeLike(type: unknown): boolean {
  if (typeof type === "string") return nearType(type);
  return Array.isArray(type) && type.some(isTypeName);
}

const isReference = (value: JsonObject): boolean => typeof value["$ref"] === "string";

/** Returns whether keywords that hold schemas do hold schemas, or something meant as schemas. */
function holdsSchemas(value: JsonObject, depth: number): boolean {
  return Object.entries(value).some(([keyword, member]) => {
    if (SCHEMA_MAP_KEYWORDS.has(keyword)) {
      if (!isObject(member)) return false;
      const members = Object.values(member);
      if (members.some((one) => isEvident(one, depth - 1))) return true;
      return members.length > 0 && members.every((one) => typeof one === "string" && nearType(one));
    }
    if (!SCHEMA_KEYWORDS.has(keyword)) return false;
    return (Array.isArray(member) ? member : [member]).some((one) => isEvident(one, depth - 1));
  });
}

/** Returns whether a value where a schema belongs is one, or is meant to be. */
function isEvident(value: unknown, depth: number): boolean {
  if (!isObject(value) || depth === 0) return false;
  if (isReference(value) || isTypeLike(value["type"]) || Array.isArray(value["enum"])) return true;
  return Object.hasOwn(value, "const") || holdsSchemas(value, depth);
}

/** Keywords from outside JSON Schema that schemas often have. */
const OTHERS: ReadonlySet<string> = new Set(["nullable", "example"]);

const isMember = (name: string): boolean =>
  isKeyword(name) || OTHERS.has(name) || /^x[-_]/i.test(name) || closestKeyword(name) !== undefined;

/**
 * Returns whether a value is meant as a JSON Schema, even if it is broken, rather than a value that happens to have
 * members such as `type`, `properties` or `items`.
 */
export function looksLikeSchema(value: unknown): value is JsonObject {
  if (!isObject(value)) return false;
  const { $schema, type } = value;
  // Other documents also use `$schema`, to name the schema that they satisfy.
  if (typeof $schema === "string" && /\bjson-schema\.org\b/i.test($schema)) return true;
  const asserts = ASSERTIONS.some((name) => Object.hasOwn(value, name));
  const holds = holdsSchemas(value, MAX_DEPTH);
  if (isTypeLike(type) && holds) return true;
  if (!Object.keys(value).every(isMember)) return false;
  if (holds || isReference(value) || Array.isArray(value["enum"])) return true;
  return isTypeLike(type) && (asserts || !isTypeName(type));
}
