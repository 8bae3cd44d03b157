import { editDistance, isObject, isTypeName, type JsonObject } from "@touchstone/core";
import { HOLDERS, isKeyword, MAPS, meantKeyword } from "../keywords.ts";

/** Keywords that say what a value must be, and do not only describe it. */
const ASSERTIONS: readonly string[] = [
  ...MAPS,
  ...HOLDERS,
  ..."enum const multipleOf maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern".split(
    " ",
  ),
  ..."maxItems minItems uniqueItems maxProperties minProperties required dependentRequired format".split(
    " ",
  ),
];
/** What languages call types that JSON Schema calls otherwise. */
const ALIASES: ReadonlySet<string> = new Set(
  "str int int32 int64 float double decimal bool dict any".split(" "),
);
const TYPES = ["array", "boolean", "integer", "null", "number", "object", "string"];
/** How far schemas within a schema are looked into. */
const MAX_DEPTH = 8;

/** Returns whether a text was meant as the name of a type: one letter off, two in a long one, or in another case. */
function nearType(text: string): boolean {
  if (text.length > 12) return false;
  const lower = text.toLowerCase();
  if (ALIASES.has(lower)) return true;
  return TYPES.some((type) => editDistance(lower, type) <= (type.length > 6 ? 2 : 1));
}

/** Returns whether a `type` is one of JSON Schema, or is meant to be. */
function isTypeLike(type: unknown): boolean {
  if (typeof type === "string") return nearType(type);
  return Array.isArray(type) && type.some(isTypeName);
}

const isReference = (value: JsonObject): boolean => typeof value["$ref"] === "string";

/** Returns whether schemas stand where keywords have them, or what is meant as some. */
function holdsSchemas(value: JsonObject, depth: number): boolean {
  return Object.entries(value).some(([keyword, member]) => {
    if (MAPS.has(keyword)) {
      if (!isObject(member)) return false;
      const members = Object.values(member);
      if (members.some((one) => isEvident(one, depth - 1))) return true;
      return members.length > 0 && members.every((one) => typeof one === "string" && nearType(one));
    }
    if (!HOLDERS.has(keyword)) return false;
    return (Array.isArray(member) ? member : [member]).some((one) => isEvident(one, depth - 1));
  });
}

/** Returns whether what stands instead of a schema is one, or is meant to be. */
function isEvident(value: unknown, depth: number): boolean {
  if (!isObject(value) || depth === 0) return false;
  if (isReference(value) || isTypeLike(value["type"]) || Array.isArray(value["enum"])) return true;
  return Object.hasOwn(value, "const") || holdsSchemas(value, depth);
}

/** Keywords of others that schemas often have. */
const OTHERS: ReadonlySet<string> = new Set(["nullable", "example"]);

const isMember = (name: string): boolean =>
  isKeyword(name) || OTHERS.has(name) || /^x[-_]/i.test(name) || meantKeyword(name) !== undefined;

/**
 * Returns whether a value is meant as a JSON Schema, though it may be broken, and not as a value that happens to
 * have members such as `type`, `properties` or `items`.
 */
export function looksLikeSchema(value: unknown): value is JsonObject {
  if (!isObject(value)) return false;
  const { $schema, type } = value;
  // Documents name in `$schema` what they satisfy, too.
  if (typeof $schema === "string" && /\bjson-schema\.org\b/i.test($schema)) return true;
  const asserts = ASSERTIONS.some((name) => Object.hasOwn(value, name));
  const holds = holdsSchemas(value, MAX_DEPTH);
  if (isTypeLike(type) && holds) return true;
  if (!Object.keys(value).every(isMember)) return false;
  if (holds || isReference(value) || Array.isArray(value["enum"])) return true;
  return isTypeLike(type) && (asserts || !isTypeName(type));
}
