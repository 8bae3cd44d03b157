import type { RJSFSchema } from "@rjsf/utils";
import { isObject } from "../json/object.ts";
import { countFields, followRef, MAX_FIELDS } from "./field-count.ts";
import { hasLoop } from "./loops.ts";

/** The schema of a form, or why there is no form. */
export type FormSchema =
  | { readonly ok: true; readonly schema: RJSFSchema }
  | { readonly ok: false; readonly why: string };

/** Where a form's schema keeps what is told beside the field: its default and its format. */
export const HINT = "x-hint";

type Members = Readonly<Record<string, unknown>>;

/** A schema that no form can be made of. */
class FormError extends Error {}

const COPIED: readonly string[] = [
  ...["title", "description", "required", "type"],
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
  ...["minLength", "maxLength", "pattern", "minItems", "maxItems"],
];
const ONE: readonly string[] = ["additionalProperties", "additionalItems", "if", "then", "else"];
const LISTS: readonly string[] = ["oneOf", "anyOf", "allOf"];
const MAPS: readonly string[] = ["properties", "$defs", "definitions"];
const SHAPES: readonly string[] = [
  ...["properties", "additionalProperties", "$ref", "if", "dependencies"],
  ...["oneOf", "anyOf", "allOf", "enum", "patternProperties"],
];
const MAX_DEPTH = 64;
const MAX_HINT = 80;

function hintOf({ format, default: value }: Members): string {
  const hints: string[] = [];
  if (typeof format === "string") hints.push(format);
  if (value !== undefined) hints.push(`default ${JSON.stringify(value)}`);
  const hint = hints.join(", ");
  return hint.length > MAX_HINT ? `${hint.slice(0, MAX_HINT)}…` : hint;
}

function mapOf(value: unknown, depth: number): Members {
  const entries = isObject(value) ? Object.entries(value) : [];
  return Object.fromEntries(entries.map(([name, each]) => [name, convert(each, depth)]));
}

/** `dependencies` says both of what 2019-09 and later write as two keywords. */
function dependenciesOf(schema: Members, depth: number): Members {
  const { dependencies, dependentRequired, dependentSchemas } = schema;
  const given = [dependencies, dependentRequired, dependentSchemas].filter(isObject);
  const entries = given.flatMap((each) => Object.entries(each));
  return Object.fromEntries(
    entries.map(([name, each]) => [name, Array.isArray(each) ? each : convert(each, depth)]),
  );
}

function itemsOf({ items, prefixItems, additionalItems }: Members, depth: number): Members {
  const lists = Array.isArray(prefixItems) ? prefixItems : items;
  if (!Array.isArray(lists)) return items === undefined ? {} : { items: convert(items, depth) };
  const rest = Array.isArray(prefixItems) ? items : additionalItems;
  return {
    items: lists.map((each) => convert(each, depth)),
    ...(rest === undefined ? {} : { additionalItems: convert(rest, depth) }),
  };
}

function typeless(type: unknown): boolean {
  return Array.isArray(type) && type.filter((each) => each !== "null").length !== 1;
}

/** One schema, for the form. `x-` members keep one from being empty: the form would leave it out. */
function convert(schema: unknown, depth: number): Members {
  if (depth > MAX_DEPTH) throw new FormError("It nests too deep.");
  if (!isObject(schema)) return { [HINT]: schema === false ? "nothing is valid here" : "" };
  if (depth > 0 && "$id" in schema) throw new FormError("It has schemas with an identity inside.");
  if ("$dynamicRef" in schema || "$recursiveRef" in schema) {
    throw new FormError("Its references depend on where they are met.");
  }
  const made: Record<string, unknown> = { [HINT]: hintOf(schema) };
  for (const key of COPIED) if (schema[key] !== undefined) made[key] = schema[key];
  for (const key of ONE) {
    if (isObject(schema[key])) made[key] = convert(schema[key], depth + 1);
    else if (schema[key] !== undefined) made[key] = schema[key];
  }
  for (const key of LISTS) {
    const list = schema[key];
    if (Array.isArray(list)) made[key] = list.map((each) => convert(each, depth + 1));
  }
  for (const key of MAPS) if (isObject(schema[key])) made[key] = mapOf(schema[key], depth + 1);
  Object.assign(made, itemsOf(schema, depth + 1));
  const dependencies = dependenciesOf(schema, depth + 1);
  if (Object.keys(dependencies).length > 0) made["dependencies"] = dependencies;
  if (typeof schema["$ref"] === "string") made["$ref"] = schema["$ref"];
  const choices = "const" in schema ? [schema["const"]] : schema["enum"];
  if (Array.isArray(choices)) made["enum"] = choices;
  // What may be of several types is written as JSON; what is chosen from a list has no type to ask for.
  if (Array.isArray(choices) || typeless(made["type"])) delete made["type"];
  if (made["type"] === "array" && made["items"] === undefined) made["items"] = { [HINT]: "" };
  const isOpen = made["additionalProperties"] === true;
  const isFree = made["type"] === "object" && !SHAPES.some((key) => key in schema);
  if (isOpen || isFree || isObject(schema["patternProperties"])) {
    made["additionalProperties"] = { [HINT]: "" };
  }
  return made;
}

function* refsOf(value: unknown): Generator<string> {
  if (typeof value !== "object" || value === null) return;
  for (const [key, each] of Object.entries(value)) {
    if (key === "$ref" && typeof each === "string") yield each;
    else yield* refsOf(each);
  }
}

function isLocal(root: Members, ref: string): boolean {
  return isObject(followRef(root, ref));
}

/**
 * What a form for a JSON Schema is made of: only keywords that shape a form, in the words that its
 * library knows. Without `default`, since a form that fills itself in sends what nobody wrote; without
 * `format`, so that every text can be typed. It draws fields and judges nothing. Never throws.
 * @param schema as `JSON.parse` gives it
 */
export function formSchema(schema: unknown): FormSchema {
  try {
    const made = convert(isObject(schema) ? schema : {}, 0);
    if (![...refsOf(made)].every((ref) => isLocal(made, ref))) {
      return { ok: false, why: "It has references that a form cannot follow." };
    }
    if (hasLoop(made)) {
      return { ok: false, why: "It has references that go round in a circle." };
    }
    if (countFields(made) > MAX_FIELDS) {
      return { ok: false, why: `It would have more than ${MAX_FIELDS} fields.` };
    }
    return { ok: true, schema: made };
  } catch (thrown) {
    const why = thrown instanceof FormError ? thrown.message : "The schema cannot be read as one.";
    return { ok: false, why };
  }
}
