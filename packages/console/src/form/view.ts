import { compilePattern } from "@touchstone/core/advanced";
import { isObject, type JsonObject } from "../json/object.ts";
import type { JsonTree } from "../json/tree.ts";
import {
  type ChosenBranches,
  type EnumChoice,
  Expansion,
  type Found,
  hasMember,
  MAX_PARTS,
  offerTypes,
  type Union,
} from "./expansion.ts";
import type { SchemaSource, Subschema } from "./source.ts";
import {
  constraintWords,
  impliedTypes,
  listedTexts,
  plainText,
  shortenText,
  typesOf,
} from "./words.ts";

/** How a field is shown. `json`: may be of any type, or cannot be shown otherwise. `never`: no value is valid. */
export type FieldKind =
  | "never"
  | "choice"
  | "boolean"
  | "string"
  | "number"
  | "integer"
  | "null"
  | "json"
  | "object"
  | "array";

/** Everything a form shows about one value, merged from all schemas that apply to it. */
export interface FormView {
  readonly kind: FieldKind;
  readonly types: readonly string[];
  readonly isNullable: boolean;
  readonly unions: readonly Union[];
  readonly title: string | undefined;
  readonly description: string | undefined;
  readonly isDeprecated: boolean;
  readonly isSecret: boolean;
  readonly format: string | undefined;
  readonly choices: readonly EnumChoice[];
  /** The `default`, as it is written. */
  readonly defaultText: string | undefined;
  readonly examples: readonly string[];
  readonly constraints: readonly string[];
  /** A reference that points outside the schema. */
  readonly lost: string | undefined;
  /** For an object: its declared properties, each with all schemas that apply to it. */
  readonly properties: ReadonlyMap<string, readonly Subschema[]>;
  readonly required: ReadonlySet<string>;
  /** Whether other properties may be added. */
  readonly isOpen: boolean;
  /** For an array: what applies to its first items, one by one. */
  readonly prefix: readonly (readonly Subschema[])[];
  /** What applies to the remaining items; undefined if there may be none. */
  readonly items: readonly Subschema[] | undefined;
  readonly maxItems: number;
  /** The parts that applied, in order. */
  readonly parts: readonly Subschema[];
}

const MAX_CHOICES = 10_000;
const MAX_EXAMPLES = 5;

function schemasOf(parts: readonly Subschema[]): readonly JsonObject[] {
  return parts.map(({ schema }) => schema).filter(isObject);
}

function intersect(a: readonly string[], b: readonly string[]): readonly string[] {
  const both = a.filter((type) => b.includes(type));
  const isIn = (list: readonly string[], type: string): boolean => list.includes(type);
  // Every integer also counts as a number.
  const isWhole =
    (isIn(a, "integer") && isIn(b, "number")) || (isIn(a, "number") && isIn(b, "integer"));
  return isWhole && !both.includes("integer") && !both.includes("number")
    ? [...both, "integer"]
    : both;
}

/** Returns the types that all parts allow; undefined if no part specifies types. */
function typesOfParts(parts: readonly Subschema[]): readonly string[] | undefined {
  let types: readonly string[] | undefined;
  for (const schema of schemasOf(parts)) {
    const own = typesOf(schema);
    if (own.length > 0) types = types === undefined ? own : intersect(types, own);
  }
  return types?.includes("number") === true ? types.filter((type) => type !== "integer") : types;
}

function choicesOf(
  source: SchemaSource,
  { parts, listings }: Found,
): readonly EnumChoice[] | undefined {
  const lists = [...listings];
  for (const part of parts) {
    if (!isObject(part.schema) || !("const" in part.schema || Array.isArray(part.schema["enum"]))) {
      continue;
    }
    lists.push(
      listedTexts(source, part)
        .slice(0, MAX_CHOICES)
        .map((text) => ({ text, label: shortenText(plainText(text)) })),
    );
  }
  const [first, ...more] = lists;
  if (first === undefined) return undefined;
  const kept = first.filter(({ text }) =>
    more.every((list) => list.some((choice) => choice.text === text)),
  );
  return [...new Map(kept.map((choice) => [choice.text, choice])).values()];
}

function firstText(parts: readonly Subschema[], key: string): string | undefined {
  for (const schema of schemasOf(parts)) {
    const { [key]: value } = schema;
    if (typeof value === "string" && value !== "") return value;
  }
  return undefined;
}

function defaultOf(source: SchemaSource, parts: readonly Subschema[]): string | undefined {
  for (const { at, schema } of parts) {
    if (isObject(schema) && "default" in schema) return source.text(`${at}/default`);
  }
  return undefined;
}

function examplesOf(source: SchemaSource, parts: readonly Subschema[]): readonly string[] {
  const texts: string[] = [];
  for (const { at, schema } of parts) {
    if (!isObject(schema)) continue;
    const { examples } = schema;
    if (Array.isArray(examples)) {
      for (const index of examples.slice(0, MAX_EXAMPLES).keys()) {
        texts.push(source.text(`${at}/examples/${index}`) ?? "null");
      }
    } else if ("example" in schema) texts.push(source.text(`${at}/example`) ?? "null");
  }
  return texts.slice(0, MAX_EXAMPLES);
}

function propertiesOf(
  source: SchemaSource,
  parts: readonly Subschema[],
): ReadonlyMap<string, readonly Subschema[]> {
  const made = new Map<string, Subschema[]>();
  for (const part of parts) {
    const { properties }: JsonObject = isObject(part.schema) ? part.schema : {};
    for (const name of isObject(properties) ? Object.keys(properties) : []) {
      const child = source.child(part, "properties", name);
      if (child === undefined) continue;
      const known = made.get(name);
      if (known === undefined) made.set(name, [child]);
      else known.push(child);
    }
  }
  return made;
}

function requiredOf(parts: readonly Subschema[], value: JsonTree | undefined): ReadonlySet<string> {
  const names = new Set<string>();
  const add = (list: unknown): void => {
    for (const name of Array.isArray(list) ? list : []) {
      if (typeof name === "string") names.add(name);
    }
  };
  for (const schema of schemasOf(parts)) {
    add(schema["required"]);
    for (const key of ["dependentRequired", "dependencies"]) {
      const { [key]: map } = schema;
      for (const [name, list] of Object.entries(isObject(map) ? map : {})) {
        if (hasMember(value, name)) add(list);
      }
    }
  }
  return names;
}

function isOpenObject(parts: readonly Subschema[], declared: number): boolean {
  const schemas = schemasOf(parts);
  const has = (key: string, value?: unknown): boolean =>
    schemas.some((schema) => (value === undefined ? key in schema : schema[key] === value));
  if (schemas.some(({ patternProperties: map }) => isObject(map))) return true;
  if (has("additionalProperties", false) || has("unevaluatedProperties", false)) return false;
  return declared === 0 || has("additionalProperties") || has("unevaluatedProperties");
}

/** Returns whether a name matches a pattern; false if it is not a pattern, or takes too long. */
function matches(pattern: string, name: string): boolean {
  try {
    return compilePattern(pattern).test(name);
  } catch {
    return false;
  }
}

/** Returns what applies to a property that is not in any `properties`. */
export function additionalPropertyParts(
  source: SchemaSource,
  view: FormView,
  name: string,
): readonly Subschema[] {
  const made: Subschema[] = [];
  for (const part of view.parts) {
    if (!isObject(part.schema)) continue;
    const { patternProperties: map } = part.schema;
    const matched = Object.keys(isObject(map) ? map : {}).filter((pattern) =>
      matches(pattern, name),
    );
    const keys = matched.map((pattern) => ["patternProperties", pattern] as const);
    const rest =
      "additionalProperties" in part.schema ? "additionalProperties" : "unevaluatedProperties";
    const all = keys.length > 0 ? keys : [[rest] as const];
    for (const tokens of all) {
      const child = source.child(part, ...tokens);
      if (child !== undefined) made.push(child);
    }
  }
  return made;
}

interface Items {
  readonly prefix: readonly (readonly Subschema[])[];
  readonly items: readonly Subschema[] | undefined;
  readonly maxItems: number;
}

function itemsOf(source: SchemaSource, parts: readonly Subschema[]): Items {
  const prefix: Subschema[][] = [];
  const rest: Subschema[] = [];
  let maxItems = Number.POSITIVE_INFINITY;
  for (const part of parts) {
    if (!isObject(part.schema)) continue;
    const { prefixItems, items, maxItems: most } = part.schema;
    if (typeof most === "number") maxItems = Math.min(maxItems, most);
    const key = Array.isArray(prefixItems) ? "prefixItems" : "items";
    const list = Array.isArray(prefixItems) ? prefixItems : items;
    const isTuple = Array.isArray(list);
    for (const index of isTuple ? list.slice(0, MAX_PARTS).keys() : []) {
      const child = source.child(part, key, index);
      if (child === undefined) continue;
      prefix[index] = [...(prefix[index] ?? []), child];
    }
    const restKey = isTuple && key === "items" ? "additionalItems" : "items";
    const others = source.child(part, restKey) ?? source.child(part, "unevaluatedItems");
    if (others !== undefined) rest.push(others);
  }
  const isClosed = rest.some(({ schema }) => schema === false) || maxItems <= prefix.length;
  return {
    prefix: Array.from(prefix, (each) => each ?? []),
    items: isClosed ? undefined : rest,
    maxItems,
  };
}

function kindOf(
  { parts, lost }: Found,
  types: readonly string[] | undefined,
  choices: readonly EnumChoice[] | undefined,
): FieldKind {
  if (parts.some(({ schema }) => schema === false) || types?.length === 0) return "never";
  if (choices !== undefined) return choices.length > MAX_CHOICES / 10 ? "json" : "choice";
  if (types !== undefined && types.length > 1) return "json";
  const [type] = types ?? schemasOf(parts).flatMap(impliedTypes);
  if (type === undefined || (lost !== undefined && types === undefined)) return "json";
  return ["boolean", "string", "number", "integer", "null", "object", "array"].includes(type)
    ? (type as FieldKind)
    : "json";
}

/**
 * Returns what a form shows for one value. Follows references, merges `allOf`, and enters the branches that are
 * shown. Never throws; a circular schema ends where it began.
 * @param start the schemas that apply to the value
 * @param value the current value, which decides unions, `if` and dependencies
 * @param picked the branches that the user chose; those decided by the value are added
 */
export function formView(
  source: SchemaSource,
  start: readonly Subschema[],
  value: JsonTree | undefined,
  picked: ChosenBranches = new Map(),
): FormView {
  const expansion = new Expansion(source, start, value, picked);
  const { found } = expansion;
  expansion.run();
  const listed = choicesOf(source, found);
  let types = typesOfParts(found.parts);
  if (listed === undefined && types !== undefined) {
    const others = types.filter((type) => type !== "null");
    if (others.length > 0 && others.length < types.length) found.isNullable = true;
    if (others.length > 0) types = others;
    if (others.length > 1) {
      offerTypes(expansion, others, value);
      expansion.run();
      types = typesOfParts(found.parts);
    }
  }
  const { parts } = found;
  const choices = listed?.filter(({ text }) => text !== "null" || listed.length === 1);
  const properties = propertiesOf(source, parts);
  return {
    kind: kindOf(found, types, choices),
    types: types ?? [],
    isNullable: found.isNullable || (choices?.length ?? 0) < (listed?.length ?? 0),
    unions: found.unions,
    title: firstText(parts, "title"),
    description: firstText(parts, "description"),
    isDeprecated: schemasOf(parts).some(({ deprecated }) => deprecated === true),
    isSecret: schemasOf(parts).some(
      (each) => each["writeOnly"] === true || each["format"] === "password",
    ),
    format: firstText(parts, "format"),
    choices: choices ?? [],
    defaultText: defaultOf(source, parts),
    examples: examplesOf(source, parts),
    constraints: [
      ...new Set([...parts.flatMap((part) => constraintWords(source, part)), ...found.words]),
    ],
    lost: found.lost,
    properties,
    required: requiredOf(parts, value),
    isOpen: isOpenObject(parts, properties.size),
    ...itemsOf(source, parts),
    parts,
  };
}

/** Returns a short description of a value's type and its other constraints. */
export function constraintSummary(view: FormView): string {
  const type = view.kind === "choice" || view.unions.length > 0 ? [] : [view.types.join(" or ")];
  const format = view.isSecret || view.format === undefined ? [] : [view.format];
  const given = view.defaultText;
  const said = given === undefined || given === "null" ? [] : [`default ${given.slice(0, 60)}`];
  return [...type, ...format, ...view.constraints, ...said].filter(Boolean).join(" · ");
}
