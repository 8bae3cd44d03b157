import type { RJSFSchema } from "@rjsf/utils";
import { joinPointer } from "@touchstone/core";
import { isObject } from "../json/object.ts";
import type { JsonTree } from "../json/tree.ts";
import { declaredText, declaredTexts, TEXTS } from "./declared.ts";
import { countFields, followRef, MAX_FIELDS } from "./field-count.ts";
import { HINT, hintOf } from "./hint.ts";
import { isLabelled } from "./labelled.ts";
import { hasLoop } from "./loops.ts";

/** The schema of a form, or why there is no form. */
export type FormSchema =
  | { readonly ok: true; readonly schema: RJSFSchema }
  | { readonly ok: false; readonly why: string };

/** Where a branch of a form's union keeps the pointer to the branch that it was made of. */
export const BRANCH_AT = "x-branch-at";

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

/** A place in the schema that a form is made of. */
interface Place {
  readonly depth: number;
  /** RFC 6901. */
  readonly at: string;
  /** The whole schema, in which numbers are as they were written. */
  readonly tree: JsonTree | undefined;
}

function inside({ depth, at, tree }: Place, ...tokens: readonly (string | number)[]): Place {
  return { depth: depth + 1, at: tokens.reduce(joinPointer, at), tree };
}

function mapOf(value: unknown, place: Place, keyword: string): Members {
  const entries = isObject(value) ? Object.entries(value) : [];
  const made = (name: string, each: unknown) => convert(each, inside(place, keyword, name));
  return Object.fromEntries(entries.map(([name, each]) => [name, made(name, each)]));
}

function listOf(list: readonly unknown[], place: Place, keyword: string): readonly Members[] {
  return list.map((each, index) => convert(each, inside(place, keyword, index)));
}

function branchesOf(list: readonly unknown[], place: Place, keyword: string): readonly Members[] {
  return listOf(list, place, keyword).map((branch, index) => ({
    ...branch,
    [BRANCH_AT]: inside(place, keyword, index).at,
  }));
}

/** `dependencies` says both of what 2019-09 and later write as two keywords. */
function dependenciesOf(schema: Members, place: Place): Members {
  const made = ["dependencies", "dependentRequired", "dependentSchemas"].flatMap((keyword) => {
    const given = schema[keyword];
    return Object.entries(isObject(given) ? given : {}).map(([name, each]) => [
      name,
      Array.isArray(each) ? each : convert(each, inside(place, keyword, name)),
    ]);
  });
  return Object.fromEntries(made);
}

function itemsOf(schema: Members, place: Place): Members {
  const { items, prefixItems } = schema;
  const list = Array.isArray(prefixItems) ? "prefixItems" : "items";
  const { [list]: lists } = schema;
  if (!Array.isArray(lists)) {
    return items === undefined ? {} : { items: convert(items, inside(place, "items")) };
  }
  const key = list === "items" ? "additionalItems" : "items";
  const { [key]: rest } = schema;
  return {
    items: listOf(lists, place, list),
    ...(rest === undefined ? {} : { additionalItems: convert(rest, inside(place, key)) }),
  };
}

/** What is chosen from: the values of `enum`, or the one of `const`, with their texts where these say more. */
function choicesOf(schema: Members, { at, tree }: Place): Members {
  const isConst = "const" in schema;
  const choices = isConst ? [schema["const"]] : schema["enum"];
  if (!Array.isArray(choices)) return {};
  const pointers = choices.map((_, index) => (isConst ? `${at}/const` : `${at}/enum/${index}`));
  const texts = declaredTexts(tree, pointers);
  return { enum: choices, ...(texts === undefined ? {} : { [TEXTS]: texts }) };
}

function typeless(type: unknown): boolean {
  return Array.isArray(type) && type.filter((each) => each !== "null").length !== 1;
}

/** One schema, for the form. `x-` members keep one from being empty: the form would leave it out. */
function convert(schema: unknown, place: Place): Members {
  const { depth, at, tree } = place;
  if (depth > MAX_DEPTH) throw new FormError("It nests too deep.");
  if (!isObject(schema)) return { [HINT]: schema === false ? "nothing is valid here" : "" };
  if (depth > 0 && "$id" in schema) throw new FormError("It has schemas with an identity inside.");
  if ("$dynamicRef" in schema || "$recursiveRef" in schema) {
    throw new FormError("Its references depend on where they are met.");
  }
  const made: Record<string, unknown> = {
    [HINT]: hintOf(schema, declaredText(tree, `${at}/default`)),
  };
  for (const key of COPIED) if (schema[key] !== undefined) made[key] = schema[key];
  for (const key of ONE) {
    if (isObject(schema[key])) made[key] = convert(schema[key], inside(place, key));
    else if (schema[key] !== undefined) made[key] = schema[key];
  }
  for (const key of LISTS) {
    const list = schema[key];
    if (!Array.isArray(list)) continue;
    made[key] = (key === "allOf" ? listOf : branchesOf)(list, place, key);
  }
  for (const key of MAPS) {
    if (isObject(schema[key])) made[key] = mapOf(schema[key], place, key);
  }
  Object.assign(made, itemsOf(schema, place));
  const dependencies = dependenciesOf(schema, place);
  if (Object.keys(dependencies).length > 0) made["dependencies"] = dependencies;
  if (typeof schema["$ref"] === "string") made["$ref"] = schema["$ref"];
  Object.assign(made, choicesOf(schema, place));
  // What may be of several types is written as JSON; what is chosen from a list has no type to ask for.
  if (made["enum"] !== undefined || typeless(made["type"])) delete made["type"];
  // The form's library makes a list of such values where they are texts alone.
  if (depth > 0 && isLabelled(made)) made["type"] = "string";
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
 * @param tree of its text, for the numbers in it that no double holds
 */
export function formSchema(schema: unknown, tree?: JsonTree): FormSchema {
  try {
    const made = convert(isObject(schema) ? schema : {}, { depth: 0, at: "", tree });
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
