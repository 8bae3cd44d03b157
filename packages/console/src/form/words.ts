import { isObject, type JsonObject } from "../json/object.ts";
import type { SchemaSource, Subschema } from "./source.ts";

/** Maximum number of names and values listed in a branch's name. */
const MAX_LISTED = 3;
const MAX_WORDS = 80;
const MAX_FOLLOWED = 10;

/** Returns a text shortened to fit next to a field. */
export function shortenText(text: string): string {
  return text.length > MAX_WORDS ? `${text.slice(0, MAX_WORDS)}…` : text;
}

function listText(items: readonly string[]): string {
  const listed = items.slice(0, MAX_LISTED).join(", ");
  return items.length > MAX_LISTED ? `${listed}, …` : listed;
}

/** Returns `1 to 5`, `at least 1` or `at most 5`; undefined without bounds. */
function range(low: string | undefined, high: string | undefined): string | undefined {
  if (low !== undefined && high !== undefined) return low === high ? low : `${low} to ${high}`;
  if (low !== undefined) return `at least ${low}`;
  return high === undefined ? undefined : `at most ${high}`;
}

function counted(
  source: SchemaSource,
  { at }: Subschema,
  keys: readonly [low: string, high: string],
  what: string,
): readonly string[] {
  const [low, high] = keys.map((key) => source.text(`${at}/${key}`));
  const text = range(low, high);
  if (text === undefined) return [];
  return [`${text} ${what}${/(?:^| )1$/.test(text) ? "" : "s"}`];
}

/** Returns what a part requires of a value besides its type, in short phrases: `1 to 20`, `multiple of 5`. */
export function constraintWords(source: SchemaSource, part: Subschema): readonly string[] {
  const { schema, at } = part;
  if (!isObject(schema)) return [];
  const exact = (key: string): string | undefined =>
    typeof schema[key] === "number" ? source.text(`${at}/${key}`) : undefined;
  const words: string[] = [];
  const bounds = range(exact("minimum"), exact("maximum"));
  if (bounds !== undefined) words.push(bounds);
  const above = exact("exclusiveMinimum");
  if (above !== undefined) words.push(`more than ${above}`);
  const below = exact("exclusiveMaximum");
  if (below !== undefined) words.push(`less than ${below}`);
  const multiple = exact("multipleOf");
  if (multiple !== undefined) words.push(`a multiple of ${multiple}`);
  words.push(...counted(source, part, ["minLength", "maxLength"], "character"));
  if (typeof schema["pattern"] === "string") words.push(`matches ${schema["pattern"]}`);
  words.push(...counted(source, part, ["minItems", "maxItems"], "item"));
  if (schema["uniqueItems"] === true) words.push("no duplicates");
  words.push(...counted(source, part, ["minProperties", "maxProperties"], "property"));
  return words.map((word) => shortenText(word.replace(/propertys$/, "properties")));
}

/** Describes the requirements of a union without fields of its own, such as `anyOf` of `required` lists. */
export function alternativeWords(branches: readonly Subschema[]): string | undefined {
  const lists = branches.map(({ schema }) => {
    const names: unknown = isObject(schema) ? schema["required"] : undefined;
    return Array.isArray(names) ? names.filter((name) => typeof name === "string") : [];
  });
  if (lists.some((names) => names.length === 0)) return undefined;
  return `needs ${shortenText(lists.map((names) => names.join(" and ")).join(", or "))}`;
}

/** Returns the types that a schema allows; empty if it does not specify any. */
export function typesOf(schema: JsonObject): readonly string[] {
  const { type } = schema;
  if (typeof type === "string") return [type];
  return Array.isArray(type) ? type.filter((each) => typeof each === "string") : [];
}

/** Returns the types that keywords imply if there is no `type`. */
export function impliedTypes(schema: JsonObject): readonly string[] {
  const has = (...keys: readonly string[]): boolean => keys.some((key) => key in schema);
  if (has("properties", "additionalProperties", "patternProperties", "required")) return ["object"];
  if (has("items", "prefixItems", "minItems", "maxItems", "uniqueItems")) return ["array"];
  if (has("minLength", "maxLength", "pattern", "format")) return ["string"];
  if (has("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"))
    return ["number"];
  return [];
}

/** Returns the texts of the values that a part lists in `const` or `enum`. */
export function listedTexts(source: SchemaSource, { at, schema }: Subschema): readonly string[] {
  if (!isObject(schema)) return [];
  if ("const" in schema) return [source.text(`${at}/const`) ?? "null"];
  const { enum: list } = schema;
  if (!Array.isArray(list)) return [];
  return list.map((value, index) => source.text(`${at}/enum/${index}`) ?? JSON.stringify(value));
}

/** Returns JSON text in readable form: a string without its quotes. */
export function plainText(text: string): string {
  return text.startsWith('"') ? String(JSON.parse(text)) : text;
}

/** Follows references from a part to the first schema that is not a reference. */
function followed(source: SchemaSource, part: Subschema): Subschema {
  let at = part;
  for (let count = 0; count < MAX_FOLLOWED; count++) {
    const ref = isObject(at.schema) ? at.schema["$ref"] : undefined;
    const next = typeof ref === "string" ? source.follow(ref) : undefined;
    if (next === undefined) return at;
    at = next;
  }
  return at;
}

/**
 * Returns what distinguishes the objects of a branch: the value of a property that has only one, or the property
 * names.
 */
function objectText(source: SchemaSource, part: Subschema): string {
  const schema = part.schema as JsonObject;
  const properties = isObject(schema["properties"]) ? Object.keys(schema["properties"]) : [];
  for (const name of properties.slice(0, MAX_WORDS)) {
    const property = source.child(part, "properties", name);
    const [only, ...others] = property === undefined ? [] : listedTexts(source, property);
    if (only !== undefined && others.length === 0) return ` with ${name} ${plainText(only)}`;
  }
  const { required } = schema;
  const names = Array.isArray(required) && required.length > 0 ? required.map(String) : properties;
  return names.length === 0 ? "" : ` with ${listText(names)}`;
}

function branchName(source: SchemaSource, branch: Subschema): string {
  const part = followed(source, branch);
  for (const { schema } of [branch, part]) {
    const title: unknown = isObject(schema) ? schema["title"] : undefined;
    if (typeof title === "string" && title !== "") return shortenText(title);
  }
  const { schema } = part;
  if (!isObject(schema)) return schema === false ? "nothing" : "any value";
  const listed = listedTexts(source, part);
  if (listed.length > 0) return shortenText(listText(listed.map(plainText)));
  const [type = impliedTypes(schema)[0] ?? "", ...more] = typesOf(schema);
  if (more.length > 0) return [type, ...more].join(" or ");
  if (type === "object") return shortenText(`object${objectText(source, part)}`);
  const items = type === "array" ? source.child(part, "items") : undefined;
  const item = items && followed(source, items).schema;
  const [of] = isObject(item) ? typesOf(item) : [];
  const { format } = schema;
  return [of === undefined ? type : `array of ${of}`, typeof format === "string" ? format : ""]
    .filter(Boolean)
    .join(", ");
}

/** Returns unique names for the branches of a union: their titles, or else what they contain. */
export function branchNames(
  source: SchemaSource,
  branches: readonly Subschema[],
): readonly string[] {
  const names = branches.map((branch) => branchName(source, branch));
  return names.map((name, index) => {
    if (name === "") return `Option ${index + 1}`;
    return names.indexOf(name) === names.lastIndexOf(name) ? name : `${index + 1}: ${name}`;
  });
}
