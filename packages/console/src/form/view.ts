import { compilePattern, joinPointer } from "@touchstone/core";
import { isObject, type Members } from "../json/object.ts";
import type { JsonTree } from "../json/tree.ts";
import { lineOf, type Part, type SchemaSource } from "./source.ts";
import {
  alternativeWords,
  branchNames,
  constraintWords,
  cutWords,
  impliedTypes,
  listedTexts,
  plainText,
  typesOf,
} from "./words.ts";

/** How a field is shown. `json`: may be of any type, or cannot be shown otherwise. `never`: no value is valid. */
export type Kind =
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

/** Alternative schemas of a value. */
export interface Union {
  /** Location of the branches: of `oneOf`, `anyOf` or `type`. */
  readonly at: string;
  readonly branches: readonly Part[];
  readonly names: readonly string[];
  /** The branch that the form shows. */
  readonly index: number;
}

/** One of the values that a schema lists. */
export interface Choice {
  /** JSON, as the schema writes it. */
  readonly text: string;
  readonly label: string;
}

/** Everything a form shows about one value, merged from all schemas that apply to it. */
export interface View {
  readonly kind: Kind;
  readonly types: readonly string[];
  readonly isNullable: boolean;
  readonly unions: readonly Union[];
  readonly title: string | undefined;
  readonly description: string | undefined;
  readonly isDeprecated: boolean;
  readonly isSecret: boolean;
  readonly format: string | undefined;
  readonly choices: readonly Choice[];
  /** The `default`, as it is written. */
  readonly defaultText: string | undefined;
  readonly examples: readonly string[];
  readonly constraints: readonly string[];
  /** A reference that points outside the schema. */
  readonly lost: string | undefined;
  /** For an object: its declared properties, each with all schemas that apply to it. */
  readonly properties: ReadonlyMap<string, readonly Part[]>;
  readonly required: ReadonlySet<string>;
  /** Whether other properties may be added. */
  readonly isOpen: boolean;
  /** For an array: what applies to its first items, one by one. */
  readonly prefix: readonly (readonly Part[])[];
  /** What applies to the remaining items; undefined if there may be none. */
  readonly items: readonly Part[] | undefined;
  readonly maxItems: number;
  /** The parts that applied, in order. */
  readonly parts: readonly Part[];
}

/** The branch shown for each union, by the union's location. The view adds those decided by a value. */
export type Picked = Map<string, number>;

const MAX_PARTS = 200;
/** More branches than this are not meant for choosing. */
const MAX_BRANCHES = 200;
/** Each branch is compiled and checked. */
const MAX_COMPARED = 40;
const MAX_CHOICES = 10_000;
const MAX_EXAMPLES = 5;

/** Keywords that give a branch fields. */
const SHAPES: readonly string[] = [
  ...["type", "properties", "items", "prefixItems", "enum", "const", "$ref", "format", "pattern"],
  ...["oneOf", "anyOf", "allOf", "additionalProperties", "patternProperties", "minimum", "maximum"],
  ...["$dynamicRef", "minLength", "maxLength"],
];

function isNullOnly({ schema }: Part): boolean {
  if (!isObject(schema)) return false;
  const { type, const: only, enum: list } = schema;
  if (type === "null" || only === null) return type !== undefined || "const" in schema;
  return Array.isArray(list) && list.length === 1 && list[0] === null;
}

function hasShape({ schema }: Part): boolean {
  return isObject(schema) && SHAPES.some((key) => key in schema);
}

function memberOf(value: JsonTree | undefined, name: string): boolean {
  return value?.kind === "object" && value.members.some((member) => member.name === name);
}

/** Returns the JSON type of a value from its text. */
export function typeOfTree(tree: JsonTree): string {
  if (tree.kind !== "scalar") return tree.kind;
  const [first = ""] = tree.text;
  if (first === '"') return "string";
  if (first === "n") return "null";
  return first === "t" || first === "f" ? "boolean" : "number";
}

interface Found {
  readonly parts: Part[];
  readonly unions: Union[];
  readonly words: string[];
  readonly listings: (readonly Choice[])[];
  isNullable: boolean;
  lost: string | undefined;
}

/** Collects every schema that applies to one value in place. */
class Expansion {
  readonly found: Found = {
    parts: [],
    unions: [],
    words: [],
    listings: [],
    isNullable: false,
    lost: undefined,
  };
  readonly #source: SchemaSource;
  readonly #value: JsonTree | undefined;
  readonly #text: string | undefined;
  readonly #picked: Picked;
  readonly #seen = new Set<Part>();
  readonly #queue: Part[];

  constructor(
    source: SchemaSource,
    start: readonly Part[],
    value: JsonTree | undefined,
    picked: Picked,
  ) {
    this.#source = source;
    this.#value = value;
    this.#text = value && lineOf(value);
    this.#picked = picked;
    this.#queue = [...start];
  }

  run(): Found {
    const { parts } = this.found;
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      if (this.#seen.has(next) || parts.length >= MAX_PARTS) continue;
      this.#seen.add(next);
      parts.push(next);
      if (isObject(next.schema)) this.#apply(next, next.schema);
    }
    return this.found;
  }

  #add(part: Part | undefined): void {
    if (part !== undefined) this.#queue.push(part);
  }

  #apply(part: Part, schema: Members): void {
    for (const key of ["$ref", "$dynamicRef", "$recursiveRef"]) {
      const { [key]: ref } = schema;
      if (typeof ref !== "string") continue;
      const target = this.#source.follow(ref);
      if (target === undefined) this.found.lost = ref;
      else this.#add(target);
    }
    const { allOf } = schema;
    if (Array.isArray(allOf)) {
      for (const index of allOf.slice(0, MAX_PARTS).keys()) {
        this.#add(this.#source.child(part, "allOf", index));
      }
    }
    this.#condition(part);
    for (const key of ["dependentSchemas", "dependencies"]) {
      const { [key]: map } = schema;
      for (const name of isObject(map) ? Object.keys(map) : []) {
        if (memberOf(this.#value, name)) this.#add(this.#source.child(part, key, name));
      }
    }
    for (const key of ["oneOf", "anyOf"]) this.#union(part, key);
  }

  #condition(part: Part): void {
    const condition = this.#source.child(part, "if");
    if (condition === undefined || this.#text === undefined) return;
    const isMet = this.#source.isValid(condition, this.#text);
    this.#add(this.#source.child(part, isMet ? "then" : "else"));
  }

  #union(part: Part, key: string): void {
    const list: unknown = (part.schema as Members)[key];
    if (!Array.isArray(list) || list.length === 0) return;
    const all = list
      .slice(0, MAX_BRANCHES)
      .map((_, index) => this.#source.child(part, key, index))
      .filter((branch) => branch !== undefined);
    const branches = all.filter((branch) => !isNullOnly(branch));
    if (branches.length < all.length) this.found.isNullable = true;
    const [only] = branches;
    if (branches.length < 2) {
      this.#add(only ?? all[0]);
      return;
    }
    const listed = branches.map((branch) => listedTexts(this.#source, branch));
    if (listed.every(({ length }) => length === 1)) {
      this.found.listings.push(branches.map((branch, i) => titled(branch, listed[i]?.[0] ?? "")));
      return;
    }
    if (!branches.some(hasShape)) {
      const words = alternativeWords(branches);
      if (words !== undefined) this.found.words.push(words);
      return;
    }
    this.offer(joinPointer(part.at, key), branches, branchNames(this.#source, branches), () =>
      this.#closest(branches),
    );
  }

  #closest(branches: readonly Part[]): number | undefined {
    const text = this.#text;
    if (text === undefined) return undefined;
    return this.#source.closest(branches.slice(0, MAX_COMPARED), text);
  }

  /** Offers branches to choose from, and enters the one that was picked or that the value matches. */
  offer(
    at: string,
    branches: readonly Part[],
    names: readonly string[],
    decide: () => number | undefined,
  ): void {
    const known = this.#picked.get(at);
    const decided = known ?? decide();
    // Keep the branch that a value decided: while it is being typed, it may look like a value of another branch.
    if (known === undefined && decided !== undefined) this.#picked.set(at, decided);
    const index = decided !== undefined && decided < branches.length ? decided : 0;
    this.found.unions.push({ at, branches, names, index });
    this.#add(branches[index]);
  }
}

function titled({ schema }: Part, text: string): Choice {
  const title: unknown = isObject(schema) ? schema["title"] : undefined;
  const plain = plainText(text);
  return {
    text,
    label: typeof title === "string" && title !== plain ? `${title} (${plain})` : plain,
  };
}

function schemasOf(parts: readonly Part[]): readonly Members[] {
  return parts.map(({ schema }) => schema).filter(isObject);
}

function intersect(a: readonly string[], b: readonly string[]): readonly string[] {
  const both = a.filter((type) => b.includes(type));
  const isIn = (list: readonly string[], type: string): boolean => list.includes(type);
  // Every integer is a number.
  const isWhole =
    (isIn(a, "integer") && isIn(b, "number")) || (isIn(a, "number") && isIn(b, "integer"));
  return isWhole && !both.includes("integer") && !both.includes("number")
    ? [...both, "integer"]
    : both;
}

/** Returns the types that all parts allow; undefined if no part specifies types. */
function typesOfParts(parts: readonly Part[]): readonly string[] | undefined {
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
): readonly Choice[] | undefined {
  const lists = [...listings];
  for (const part of parts) {
    if (!isObject(part.schema) || !("const" in part.schema || Array.isArray(part.schema["enum"]))) {
      continue;
    }
    lists.push(
      listedTexts(source, part)
        .slice(0, MAX_CHOICES)
        .map((text) => ({ text, label: cutWords(plainText(text)) })),
    );
  }
  const [first, ...more] = lists;
  if (first === undefined) return undefined;
  const kept = first.filter(({ text }) =>
    more.every((list) => list.some((choice) => choice.text === text)),
  );
  return [...new Map(kept.map((choice) => [choice.text, choice])).values()];
}

function firstText(parts: readonly Part[], key: string): string | undefined {
  for (const schema of schemasOf(parts)) {
    const { [key]: value } = schema;
    if (typeof value === "string" && value !== "") return value;
  }
  return undefined;
}

function defaultOf(source: SchemaSource, parts: readonly Part[]): string | undefined {
  for (const { at, schema } of parts) {
    if (isObject(schema) && "default" in schema) return source.text(`${at}/default`);
  }
  return undefined;
}

function examplesOf(source: SchemaSource, parts: readonly Part[]): readonly string[] {
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
  parts: readonly Part[],
): ReadonlyMap<string, readonly Part[]> {
  const made = new Map<string, Part[]>();
  for (const part of parts) {
    const { properties }: Members = isObject(part.schema) ? part.schema : {};
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

function requiredOf(parts: readonly Part[], value: JsonTree | undefined): ReadonlySet<string> {
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
        if (memberOf(value, name)) add(list);
      }
    }
  }
  return names;
}

function isOpenObject(parts: readonly Part[], declared: number): boolean {
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
export function extraParts(source: SchemaSource, view: View, name: string): readonly Part[] {
  const made: Part[] = [];
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
  readonly prefix: readonly (readonly Part[])[];
  readonly items: readonly Part[] | undefined;
  readonly maxItems: number;
}

function itemsOf(source: SchemaSource, parts: readonly Part[]): Items {
  const prefix: Part[][] = [];
  const rest: Part[] = [];
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
  choices: readonly Choice[] | undefined,
): Kind {
  if (parts.some(({ schema }) => schema === false) || types?.length === 0) return "never";
  if (choices !== undefined) return choices.length > MAX_CHOICES / 10 ? "json" : "choice";
  if (types !== undefined && types.length > 1) return "json";
  const [type] = types ?? schemasOf(parts).flatMap(impliedTypes);
  if (type === undefined || (lost !== undefined && types === undefined)) return "json";
  return ["boolean", "string", "number", "integer", "null", "object", "array"].includes(type)
    ? (type as Kind)
    : "json";
}

/** Offers the types of a value that may have several, as branches of a union. */
function offerTypes(
  expansion: Expansion,
  types: readonly string[],
  value: JsonTree | undefined,
): void {
  const [first] = expansion.found.parts;
  const at = `${first?.at ?? ""}/type`;
  const branches = types.map((type): Part => ({ at: `${at}:${type}`, schema: { type } }));
  expansion.offer(at, branches, types, () => {
    const type = value && typeOfTree(value);
    const index = types.findIndex(
      (each) => each === type || (each === "integer" && type === "number"),
    );
    return index < 0 ? undefined : index;
  });
}

/**
 * Returns what a form shows for one value. Follows references, merges `allOf`, and enters the branches that are
 * shown. Never throws; a circular schema ends where it began.
 * @param start the schemas that apply to the value
 * @param value the current value, which decides unions, `if` and dependencies
 * @param picked the branches that the user chose; those decided by the value are added
 */
export function viewOf(
  source: SchemaSource,
  start: readonly Part[],
  value: JsonTree | undefined,
  picked: Picked = new Map(),
): View {
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
export function wordsOf(view: View): string {
  const type = view.kind === "choice" || view.unions.length > 0 ? [] : [view.types.join(" or ")];
  const format = view.isSecret || view.format === undefined ? [] : [view.format];
  const given = view.defaultText;
  const said = given === undefined || given === "null" ? [] : [`default ${given.slice(0, 60)}`];
  return [...type, ...format, ...view.constraints, ...said].filter(Boolean).join(" · ");
}
