import { fragmentTokens, isObject, type JsonObject, valueAt } from "@touchstone/core/advanced";
import { IN_PLACE_KEYWORDS, SCHEMA_KEYWORDS, SCHEMA_MAP_KEYWORDS } from "../../keywords.ts";
import { mapSchemas } from "./map-schemas.ts";

/**
 * Keywords that describe members. If another schema for the same value has one of them, a closed schema would refuse
 * these members.
 */
const OF_MEMBERS: readonly string[] = [
  ..."properties patternProperties additionalProperties unevaluatedProperties".split(" "),
  ..."required dependentRequired dependentSchemas dependencies propertyNames minProperties".split(
    " ",
  ),
];
/** Keywords for members that are not declared. */
const OTHERS: readonly string[] = [
  ..."additionalProperties patternProperties unevaluatedProperties propertyNames".split(" "),
];
/** Keywords whose branches apply to the same value, one branch at a time. */
const BRANCHES: ReadonlySet<string> = new Set(["anyOf", "oneOf"]);

/**
 * Returns a schema whose objects refuse properties that they do not declare. An object stays open if it declares no
 * properties, so that it is a map; if it has a schema for other properties; or if another schema describes the same
 * value: a closed object would refuse the members that the other schema declares. What the result accepts, the schema
 * accepts as well.
 */
export function closeObjects(whole: JsonObject): JsonObject {
  const shared = sharedSchemas(whole);
  return mapSchemas(whole, (schema, isTop, original) =>
    !shared.has(original) && isClosable(original, isTop)
      ? { ...schema, additionalProperties: false }
      : schema,
  );
}

/** Returns whether a schema describes objects with declared properties, and has no schema for other properties. */
function isClosable(schema: JsonObject, isTop: boolean): boolean {
  const { type, properties } = schema;
  const isOfObjects = type === "object" || (Array.isArray(type) && type.includes("object"));
  const names = isObject(properties) ? Object.keys(properties) : [];
  // If arguments declare no properties, the tool has no parameters, so they are closed too.
  const hasNames = names.length > 0 || (isTop && type === "object");
  if (!hasNames || !(isOfObjects || (type === undefined && isObject(properties)))) return false;
  const said = OTHERS.filter((keyword) => Object.hasOwn(schema, keyword));
  // If no names are declared, `additionalProperties: true` means that the object is a map.
  const isOpen = said.every((keyword) => keyword === "additionalProperties" && names.length > 0);
  if (!isOpen || !isAnything(schema["additionalProperties"])) return false;
  if (Object.hasOwn(schema, "$ref") || Object.hasOwn(schema, "$dynamicRef")) return false;
  // Branches may mention the declared properties, but must not declare others.
  const declared = new Set(names);
  return besideOf(schema).every((each) => namesAmong(each, declared));
}

function isAnything(schema: unknown): boolean {
  if (schema === undefined || schema === true) return true;
  return isObject(schema) && Object.keys(schema).length === 0;
}

/** Returns the schemas in a schema that apply to the same value, except those of one keyword. */
function besideOf(schema: JsonObject, except?: string): readonly unknown[] {
  return Object.entries(schema).flatMap(([keyword, held]) =>
    keyword === except || !IN_PLACE_KEYWORDS.has(keyword) ? [] : schemasIn(keyword, held),
  );
}

/** Returns the schemas that a keyword holds. */
function schemasIn(keyword: string, held: unknown): readonly unknown[] {
  if (SCHEMA_MAP_KEYWORDS.has(keyword) && isObject(held)) return Object.values(held);
  return Array.isArray(held) ? held : [held];
}

/** Returns whether a schema names no other members than these. */
function namesAmong(schema: unknown, declared: ReadonlySet<string>): boolean {
  if (!isObject(schema)) return true;
  return Object.entries(schema).every(([keyword, held]) => {
    if (keyword === "properties") {
      return !isObject(held) || Object.keys(held).every((name) => declared.has(name));
    }
    if (keyword === "required") {
      return !Array.isArray(held) || held.every((name) => declared.has(name));
    }
    if (keyword === "$ref" || OTHERS.includes(keyword)) return false;
    if (!IN_PLACE_KEYWORDS.has(keyword)) return true;
    return schemasIn(keyword, held).every((each) => namesAmong(each, declared));
  });
}

/**
 * Returns the schemas whose values are also described by another schema. Branches of the same keyword do not count,
 * since they apply one at a time.
 */
function sharedSchemas(whole: JsonObject): ReadonlySet<JsonObject> {
  const shared = new Set<JsonObject>();
  const alone = new Set<JsonObject>();
  const open: [schema: unknown, isAlone: boolean][] = [[whole, true]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [schema, isAlone] = next;
    if (!isObject(schema) || shared.has(schema) || (isAlone && alone.has(schema))) continue;
    (isAlone ? alone : shared).add(schema);
    const saysOfMembers = OF_MEMBERS.some((keyword) => Object.hasOwn(schema, keyword));
    const isPlain = !besideOf(schema).some(describesParts);
    const { $ref } = schema;
    if (typeof $ref === "string") {
      const tokens = fragmentTokens($ref);
      const target = tokens === undefined ? undefined : valueAt(whole, tokens)?.value;
      open.push([target, isAlone && !saysOfMembers && besideOf(schema).length === 0]);
    }
    for (const [keyword, held] of Object.entries(schema)) {
      if (keyword === "$defs" || keyword === "definitions") continue;
      if (!SCHEMA_KEYWORDS.has(keyword) && !(SCHEMA_MAP_KEYWORDS.has(keyword) && isObject(held)))
        continue;
      const isOwn = IN_PLACE_KEYWORDS.has(keyword)
        ? BRANCHES.has(keyword) && !saysOfMembers && besideOf(schema, keyword).length === 0
        : isPlain && keyword !== "contains" && !Object.hasOwn(schema, "patternProperties");
      for (const each of schemasIn(keyword, held)) open.push([each, isAlone && isOwn]);
    }
  }
  return shared;
}

const OF_PARTS: ReadonlySet<string> = new Set([
  ..."$ref $dynamicRef properties patternProperties additionalProperties items prefixItems".split(
    " ",
  ),
  ..."contains additionalItems unevaluatedProperties unevaluatedItems".split(" "),
]);

/** Returns whether a schema describes members or items. */
function describesParts(schema: unknown): boolean {
  if (!isObject(schema)) return false;
  return (
    Object.keys(schema).some((keyword) => OF_PARTS.has(keyword)) ||
    besideOf(schema).some(describesParts)
  );
}
