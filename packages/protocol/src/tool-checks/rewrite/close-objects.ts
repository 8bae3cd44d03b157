import { fragmentTokens, isObject, type JsonObject, valueAt } from "@touchstone/core/advanced";
import { IN_PLACE_KEYWORDS, SCHEMA_KEYWORDS, SCHEMA_MAP_KEYWORDS } from "../../keywords.ts";
import { mapSchemas } from "./map-schemas.ts";

/** Keywords about members: beside a schema that has any, a closed one refuses what they describe. */
const OF_MEMBERS: readonly string[] = [
  ..."properties patternProperties additionalProperties unevaluatedProperties".split(" "),
  ..."required dependentRequired dependentSchemas dependencies propertyNames minProperties".split(
    " ",
  ),
];
/** Keywords that say what other members may be. */
const OTHERS: readonly string[] = [
  ..."additionalProperties patternProperties unevaluatedProperties propertyNames".split(" "),
];
/** Keywords that apply to the same value, of which one branch counts at a time. */
const BRANCHES: ReadonlySet<string> = new Set(["anyOf", "oneOf"]);

/**
 * Returns a schema whose objects refuse properties that they do not declare. An object stays open if it declares none, so
 * that it is a map, if it says what other properties have to be, or if another schema describes the same value: a
 * closed one would refuse what that declares. What the result accepts, the schema accepts as well.
 */
export function closeObjects(whole: JsonObject): JsonObject {
  const shared = sharedSchemas(whole);
  return mapSchemas(whole, (schema, isTop, original) =>
    !shared.has(original) && isClosable(original, isTop)
      ? { ...schema, additionalProperties: false }
      : schema,
  );
}

/** Returns whether a schema is one of objects with known properties, which says nothing of others. */
function isClosable(schema: JsonObject, isTop: boolean): boolean {
  const { type, properties } = schema;
  const isOfObjects = type === "object" || (Array.isArray(type) && type.includes("object"));
  const names = isObject(properties) ? Object.keys(properties) : [];
  // Arguments without any declared are those of a tool without parameters.
  const hasNames = names.length > 0 || (isTop && type === "object");
  if (!hasNames || !(isOfObjects || (type === undefined && isObject(properties)))) return false;
  const said = OTHERS.filter((keyword) => Object.hasOwn(schema, keyword));
  // Without declared names, `true` says that it is a map.
  const isOpen = said.every((keyword) => keyword === "additionalProperties" && names.length > 0);
  if (!isOpen || !isAnything(schema["additionalProperties"])) return false;
  if (Object.hasOwn(schema, "$ref") || Object.hasOwn(schema, "$dynamicRef")) return false;
  // A branch may require some of the declared properties, but none of its own.
  const declared = new Set(names);
  return besideOf(schema).every((each) => namesAmong(each, declared));
}

function isAnything(schema: unknown): boolean {
  if (schema === undefined || schema === true) return true;
  return isObject(schema) && Object.keys(schema).length === 0;
}

/** Returns the schemas in a schema that apply to the same value, but for those of one keyword. */
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
 * Returns the schemas of values that another schema describes too, apart from its branches, of which one counts at a time.
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

/** Returns whether a schema says something of members or items. */
function describesParts(schema: unknown): boolean {
  if (!isObject(schema)) return false;
  return (
    Object.keys(schema).some((keyword) => OF_PARTS.has(keyword)) ||
    besideOf(schema).some(describesParts)
  );
}
