import { isDeepStrictEqual } from "node:util";
import {
  fragmentTokens,
  isObject,
  isTypeName,
  type JsonObject,
  type TypeName,
  valueAt,
} from "@touchstone/core/advanced";

/** The facts that a schema declares about a value, as far as they help a person or a command line. */
export interface ValueDeclaration {
  /** The allowed types; all of them if the schema does not restrict them. */
  readonly types: ReadonlySet<TypeName>;
  /** The values of `enum` or `const`; absent if it has neither. */
  readonly values?: readonly unknown[];
  /** The schemas of the properties that are declared by name. */
  readonly properties: ReadonlyMap<string, unknown>;
  readonly required: ReadonlySet<string>;
  /** Returns the schema of the item at an index; undefined if there is none. */
  readonly item: (index: number) => unknown;
  /** Returns whether types, `enum` and `const` allow a value, in at least one branch of each choice. */
  readonly allows: (value: unknown) => boolean;
  readonly description?: string;
  readonly default?: unknown;
}

const ALL: readonly TypeName[] = [
  "string",
  "number",
  "integer",
  "boolean",
  "array",
  "object",
  "null",
];
/** How many subschemas to read for one value, over all branches, because a schema may refer to itself. */
const MAX_PARTS = 1_000;

/** How many subschemas may still be read. */
interface Budget {
  left: number;
}

/**
 * Reads what a schema declares, through local `$ref`, `allOf`, `anyOf` and `oneOf`. The result is only for display:
 * the engine decides whether a value is valid. Ends for every schema, even one that refers to itself or is not a
 * schema.
 * @param schema any value
 * @param root the schema that pointers in `$ref` start from
 */
export function readDeclaration(schema: unknown, root: unknown): ValueDeclaration {
  return read(schema, root, { left: MAX_PARTS });
}

function read(schema: unknown, root: unknown, budget: Budget): ValueDeclaration {
  const parts = partsOf(schema, root, budget);
  let types = new Set(ALL);
  let values: readonly unknown[] | undefined;
  const properties = new Map<string, unknown>();
  const required = new Set<string>();
  const items: ((index: number) => unknown)[] = [];
  const conditions: ((value: unknown) => boolean)[] = [];
  const texts: { description?: string; default?: unknown } = {};
  const take = (name: string, one: unknown): void => {
    const before = properties.get(name);
    properties.set(name, properties.has(name) ? { allOf: [before, one] } : one);
  };
  for (const part of parts) {
    types = both(types, typesOf(part));
    const listed = valuesOf(part);
    values = values === undefined ? listed : values;
    conditions.push((value) => allowedBy(part, value));
    if (isObject(part["properties"])) {
      for (const [name, one] of Object.entries(part["properties"])) take(name, one);
    }
    for (const name of stringsOf(part["required"])) required.add(name);
    items.push(...itemsOf(part));
    const { description } = part;
    if (typeof description === "string") texts.description ??= description;
    if ("default" in part && !("default" in texts)) texts.default = part["default"];
    for (const branches of [part["anyOf"], part["oneOf"]]) {
      if (!Array.isArray(branches) || branches.length === 0) continue;
      const each = branches.map((branch: unknown) => read(branch, root, budget));
      types = both(types, new Set(each.flatMap((branch) => [...branch.types])));
      conditions.push((value) => each.some((branch) => branch.allows(value)));
      if (each.every((branch) => branch.values !== undefined)) {
        values ??= each.flatMap((branch) => branch.values ?? []);
      }
      const names = new Set(each.flatMap((branch) => [...branch.properties.keys()]));
      for (const name of names) {
        const ones = each.flatMap(({ properties: own }) => (own.has(name) ? [own.get(name)] : []));
        take(name, ones.length === 1 ? ones[0] : { anyOf: ones });
      }
      items.push((index) => {
        const found = each.map(({ item }) => item(index)).filter((one) => one !== undefined);
        return found.length < 2 ? found[0] : { anyOf: found };
      });
    }
  }
  const item = (index: number): unknown =>
    items.map((one) => one(index)).find((one) => one !== undefined);
  return {
    types,
    ...(values === undefined ? {} : { values }),
    properties,
    required,
    item,
    allows: (value) => conditions.every((allows) => allows(value)),
    ...texts,
  };
}

/** Returns the schema and the schemas that `$ref` and `allOf` add to it. */
function partsOf(schema: unknown, root: unknown, budget: Budget): readonly JsonObject[] {
  const found = new Set<JsonObject>();
  const waiting = [schema];
  for (let at = 0; at < waiting.length && budget.left > 0; at += 1) {
    budget.left -= 1;
    const next = waiting[at];
    if (!isObject(next) || found.has(next)) continue;
    found.add(next);
    const { $ref: ref, allOf } = next;
    if (typeof ref === "string") waiting.push(localTarget(ref, root));
    // Added one by one: a list may have more items than a function call can have arguments.
    if (Array.isArray(allOf)) for (const one of allOf) waiting.push(one);
  }
  return [...found];
}

/** Returns the subschema that a pointer into the same document refers to. */
function localTarget(ref: string, root: unknown): unknown {
  const tokens = fragmentTokens(ref);
  return tokens === undefined ? undefined : valueAt(root, tokens)?.value;
}

function typesOf(part: JsonObject): ReadonlySet<TypeName> {
  const { type } = part;
  const named = (Array.isArray(type) ? type : [type]).filter(isTypeName);
  const values = valuesOf(part);
  const types = new Set(named.length === 0 ? ALL : named);
  if (types.has("number")) types.add("integer");
  return values === undefined ? types : both(types, new Set(values.flatMap(typesOfValue)));
}

/** Returns whether the type, `enum` and `const` of one schema allow a value, ignoring its branches. */
function allowedBy(part: JsonObject, value: unknown): boolean {
  const { type, const: only, enum: listed } = part;
  const named = (Array.isArray(type) ? type : [type]).filter(isTypeName);
  if (named.length > 0 && !typesOfValue(value).some((one) => named.includes(one))) return false;
  if (Object.hasOwn(part, "const") && !isEqual(only, value)) return false;
  return !Array.isArray(listed) || listed.some((one) => isEqual(one, value));
}

// 0 and -0 are equal in JSON.
const isEqual = (one: unknown, other: unknown): boolean =>
  one === other || isDeepStrictEqual(one, other);

function typesOfValue(value: unknown): readonly TypeName[] {
  if (value === null) return ["null"];
  if (Array.isArray(value)) return ["array"];
  const type = typeof value;
  if (type !== "number") return isTypeName(type) ? [type] : [];
  // A number beyond the range of doubles cannot have a fraction.
  return Number.isFinite(value) && !Number.isInteger(value) ? ["number"] : ["number", "integer"];
}

function valuesOf(part: JsonObject): readonly unknown[] | undefined {
  if (Object.hasOwn(part, "const")) return [part["const"]];
  return Array.isArray(part["enum"]) ? part["enum"] : undefined;
}

/** Returns the schemas of items: one for each index, or one for all. */
function itemsOf({ prefixItems, items }: JsonObject): readonly ((index: number) => unknown)[] {
  const first = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : [];
  const others = Array.isArray(items) ? undefined : items;
  if (first.length === 0 && others === undefined) return [];
  return [(index) => (index < first.length ? first[index] : others)];
}

function stringsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}

function both(one: ReadonlySet<TypeName>, other: ReadonlySet<TypeName>): Set<TypeName> {
  return new Set([...one].filter((type) => other.has(type)));
}
