import { fragmentTokens, isObject, type JsonObject, valueAt } from "@touchstone/core/advanced";
import { countedLimits, type Shape, typeOf, type ValueType } from "@touchstone/records/plain";

/** What a schema says about one place, apart from conditions. */
export interface PlaceDeclaration {
  /** Undefined if any type is allowed; empty if none is. */
  readonly types: ReadonlySet<string> | undefined;
  readonly members: ReadonlyMap<string, unknown>;
  readonly required: ReadonlySet<string>;
  readonly items: unknown;
  /** Whether members of other names are declared as well, by one schema for all of them. */
  readonly isMap: boolean;
  /** Whether such members have a schema of their own, which is not compared. */
  readonly isTyped: boolean;
  /** Whether members of other names are refused. */
  readonly isClosed: boolean;
  /** Keywords that limit values, besides types and names; of a repeated one, the first. */
  readonly noted: ReadonlyMap<string, unknown>;
  /** Whether branches of `anyOf`, `oneOf` or conditions say more than is known here. */
  readonly isPartial: boolean;
}

const MAX_STEPS = 64;
/** The schema `false`, as a list of no values. */
const NOTHING: JsonObject = { enum: [] };

/** Returns the target of a local reference (`#`, `#/$defs/x`). */
export function resolveLocalReference(root: unknown, reference: unknown): unknown {
  const tokens = typeof reference === "string" ? fragmentTokens(reference) : undefined;
  return tokens === undefined ? undefined : valueAt(root, tokens)?.value;
}

/** Returns a schema with the targets of its references and the schemas in its `allOf`. */
function joined(
  root: unknown,
  schema: unknown,
): { readonly all: readonly JsonObject[]; open: boolean } {
  const all: JsonObject[] = [];
  let open = false;
  const waiting = [schema];
  for (let step = 0; step < MAX_STEPS && waiting.length > 0; step += 1) {
    const next = waiting.shift();
    if (next === false) all.push(NOTHING);
    if (!isObject(next) || all.includes(next)) continue;
    all.push(next);
    if (next["$ref"] !== undefined) {
      const target = resolveLocalReference(root, next["$ref"]);
      if (target === undefined) open = true;
      else waiting.push(target);
    }
    // A schema may have more of them than a function call can take as arguments; the rest is not read.
    if (Array.isArray(next["allOf"])) waiting.push(...next["allOf"].slice(0, MAX_STEPS));
    const conditions = [
      "anyOf",
      "oneOf",
      "if",
      "dependentSchemas",
      "patternProperties",
      "$dynamicRef",
      "dependencies",
      "dependentRequired",
      "not",
      "prefixItems",
      "propertyNames",
      "contains",
      "unevaluatedItems",
      "$recursiveRef",
    ];
    open ||= conditions.some((keyword) => next[keyword] !== undefined);
    open ||= Array.isArray(next["items"]);
    // References in a part with its own `$id` are relative to that part.
    open ||= next !== root && next["$id"] !== undefined;
  }
  return { all, open };
}

/** Returns the types that a schema names, or those of the values that it lists. */
export function namedTypes({ type, const: only, enum: values }: JsonObject): ReadonlySet<string> {
  if (type === undefined && only !== undefined) return new Set([typeOf(only)]);
  if (type === undefined && Array.isArray(values)) return new Set(values.map(typeOf));
  return new Set([type].flat().filter((name) => typeof name === "string"));
}

/** Keywords about members that `properties` does not name. */
const OTHER_MEMBERS = ["additionalProperties", "unevaluatedProperties"] as const;

/** Returns whether a schema refuses members that it does not name, and whether that depends on other schemas. */
function closing(part: JsonObject): "own" | "all" | undefined {
  if (isObject(part["patternProperties"])) return undefined;
  if (part["additionalProperties"] === false) return "own";
  const isOpen = part["additionalProperties"] !== undefined;
  return !isOpen && part["unevaluatedProperties"] === false ? "all" : undefined;
}

/** Returns the combined requirements of two schemas. */
function both(known: unknown, further: unknown): unknown {
  return known === undefined ? further : { allOf: [known, further] };
}

/** Returns what `schema`, a part of `root`, declares about its place. Never throws. */
export function declarationOf(root: unknown, schema: unknown): PlaceDeclaration {
  const { all, open } = joined(root, schema);
  const members = new Map<string, unknown>();
  const required = new Set<string>();
  const closed: JsonObject[] = [];
  let types: ReadonlySet<string> | undefined;
  let items: unknown;
  let isMap = false;
  let isTyped = false;
  let isClosed = false;
  const noted = new Map<string, unknown>();
  let isPartial = open;
  for (const part of all) {
    if (isObject(part["properties"])) {
      for (const [name, inside] of Object.entries(part["properties"])) {
        members.set(name, both(members.get(name), inside));
      }
    }
    if (Array.isArray(part["required"]))
      for (const name of part["required"]) required.add(String(name));
    const others = OTHER_MEMBERS.map((keyword) => part[keyword]);
    isMap ||=
      isObject(part["patternProperties"]) || others.some((of) => of === true || isObject(of));
    isTyped ||= others.some((of) => isObject(of) && Object.keys(of).length > 0);
    const closes = closing(part);
    isClosed ||= closes !== undefined;
    if (closes === "own") closed.push(part);
    // Among several schemas it is unknown which others it depends on.
    isPartial ||= closes === "all" && part !== all[0];
    const listed = part["const"] !== undefined || Array.isArray(part["enum"]);
    for (const [keyword, says] of countedLimits(part)) {
      if (!noted.has(keyword)) noted.set(keyword, says);
    }
    const named = namedTypes(part);
    if (named.size > 0 || listed) types = types === undefined ? named : common(types, named);
    const isOfAll = isObject(part["items"]) || part["items"] === false;
    if (isOfAll && part["prefixItems"] === undefined) items = both(items, part["items"]);
  }
  for (const { properties } of closed) {
    const own = isObject(properties) ? properties : {};
    for (const name of members.keys()) if (!Object.hasOwn(own, name)) members.delete(name);
  }
  isMap &&= !isClosed;
  return { types, members, required, items, isMap, isTyped, isClosed, noted, isPartial };
}

/** Returns whether a declared set of types accepts a value of this one. */
export function acceptsType(types: PlaceDeclaration["types"], type: ValueType): boolean {
  if (types === undefined || types.has(type)) return true;
  return type === "integer" && types.has("number");
}

/** Returns the types in both sets, where `number` includes integers. */
function common(some: ReadonlySet<string>, others: ReadonlySet<string>): ReadonlySet<string> {
  const taken = (by: ReadonlySet<string>) => (type: string) => acceptsType(by, type as ValueType);
  return new Set([...[...some].filter(taken(others)), ...[...others].filter(taken(some))]);
}

/** Returns whether a schema may refuse values of a shape because of their content. */
export function constrainsContent(declared: PlaceDeclaration, { types }: Shape): boolean {
  const { members, required, items, isClosed, isTyped } = declared;
  if (types.has("array") && items !== undefined) return true;
  return types.has("object") && (members.size > 0 || required.size > 0 || isClosed || isTyped);
}
