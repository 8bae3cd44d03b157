import {
  type CompiledSchema,
  compilePattern,
  compileSchema,
  isObject,
  type JsonObject,
  type Pattern,
  valueAt,
} from "@touchstone/core";
import { HOLDERS, MAPS } from "../keywords.ts";

/** How many schemas are compared before a proof is given up. */
const MAX_STEPS = 20_000;
/** How deep proofs are within one another. */
const MAX_DEPTH = 400;
/** How many alternatives of the first schema are told apart within one another. */
const MAX_SPLITS = 4;
/** How many parts are compiled to ask them about the values that a schema lists. */
const MAX_COMPILED = 100;
/** Longer lists of values are not gone through. */
const MAX_LISTED = 1_000;

/** The kinds of values that JSON Schema tells apart; a number is whole or not. */
type Kind = "null" | "boolean" | "object" | "array" | "string" | "integer" | "fraction";
const KINDS: readonly Kind[] = [
  "null",
  "boolean",
  "object",
  "array",
  "string",
  "integer",
  "fraction",
];

/** Keywords that say nothing of values of other kinds than these. */
const ABOUT: ReadonlyMap<string, readonly Kind[]> = new Map<string, readonly Kind[]>([
  ...words("minimum maximum exclusiveMinimum exclusiveMaximum multipleOf", ["integer", "fraction"]),
  ...words("minLength maxLength pattern", ["string"]),
  ...words("minItems maxItems uniqueItems prefixItems items contains unevaluatedItems", ["array"]),
  ...words(
    "properties patternProperties additionalProperties propertyNames required minProperties maxProperties " +
      "dependentRequired dependentSchemas unevaluatedProperties",
    ["object"],
  ),
  ["format", ["string", "integer", "fraction"]],
]);

function words(names: string, kinds: readonly Kind[]): [string, readonly Kind[]][] {
  return names.split(" ").map((name) => [name, kinds]);
}

/** A proof that all values of one schema are values of another. */
export type Proof =
  /** All of them. */
  | "all"
  /** Those without members of a name that the first schema does not speak of and the second one does. */
  | "declared";

/**
 * Proves by structure that every value which one schema accepts is accepted by another.
 * @param first in canonical form (`CompiledSchema.canonical`)
 * @param second the same of the other
 * @returns undefined if there is no proof, which says nothing of the schemas
 */
export function proveSubset(first: JsonObject, second: JsonObject): Proof | undefined {
  if (new Prover(first, second, false).proves()) return "all";
  return new Prover(first, second, true).proves() ? "declared" : undefined;
}

/** Where the schemas of a document lead to, and which document each is of. */
interface Links {
  readonly targets: WeakMap<JsonObject, unknown>;
  readonly roots: WeakMap<JsonObject, JsonObject>;
}

function link(root: JsonObject, { targets, roots }: Links): void {
  const waiting: unknown[] = [root];
  for (let schema = waiting.pop(); schema !== undefined; schema = waiting.pop()) {
    if (!isObject(schema) || roots.has(schema)) continue;
    roots.set(schema, root);
    const { $ref } = schema;
    if (typeof $ref === "string")
      targets.set(schema, valueAt(root, $ref.split("/").slice(1))?.value);
    for (const [keyword, value] of Object.entries(schema)) {
      if (MAPS.has(keyword) && isObject(value)) waiting.push(...Object.values(value));
      else if (HOLDERS.has(keyword)) waiting.push(...(Array.isArray(value) ? value : [value]));
    }
  }
}

interface Bound {
  readonly value: number;
  readonly isOpen: boolean;
}

/** Schemas that a value satisfies, all of them. */
type Parts = readonly JsonObject[];

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const mapOf = (value: unknown): JsonObject => (isObject(value) ? value : {});
const isTrivial = (schema: unknown): boolean =>
  schema === true ||
  (isObject(schema) && Object.keys(schema).every((key) => key.startsWith("$") && key !== "$ref"));

class Prover {
  readonly #first: JsonObject;
  readonly #second: JsonObject;
  /** Whether members that only the second schema speaks of are taken for absent. */
  readonly #declaredOnly: boolean;
  readonly #links: Links = { targets: new WeakMap(), roots: new WeakMap() };
  /** Schemas without their alternatives, which are told apart. */
  readonly #reducedParts: WeakSet<JsonObject> = new WeakSet();
  readonly #ids: WeakMap<object, number> = new WeakMap();
  readonly #compiled: WeakMap<JsonObject, CompiledSchema> = new WeakMap();
  readonly #patterns: Map<string, Pattern | undefined> = new Map();
  /** What is being proved, with how many members and items were entered before. */
  readonly #open: Map<string, number> = new Map();
  #entered = 0;
  #depth = 0;
  #steps = 0;
  #asked = 0;
  #lastId = 0;

  constructor(first: JsonObject, second: JsonObject, declaredOnly: boolean) {
    // Copies, so that a schema which is compared with itself has two sides.
    this.#first = structuredClone(first) as JsonObject;
    this.#second = structuredClone(second) as JsonObject;
    this.#declaredOnly = declaredOnly;
    link(this.#first, this.#links);
    link(this.#second, this.#links);
  }

  proves(): boolean {
    return this.#isWithin([this.#first], this.#second, 0);
  }

  /** Returns whether each value that satisfies all of the schemas satisfies `wanted`. */
  #isWithin(schemas: readonly unknown[], wanted: unknown, splits: number): boolean {
    this.#steps += 1;
    if (this.#steps > MAX_STEPS || this.#depth > MAX_DEPTH) return false;
    if (isTrivial(wanted)) return true;
    const parts = this.#partsOf(schemas);
    if (parts === undefined || this.#isEmpty(parts, 0)) return true;
    if (!isObject(wanted)) return false;
    const key = `${parts.map((part) => this.#idOf(part)).join()}>${this.#idOf(wanted)}`;
    const before = this.#open.get(key);
    // A smaller value is compared with the same schemas: by induction on its size this holds if all else does.
    if (before !== undefined) return this.#entered > before;
    this.#open.set(key, this.#entered);
    this.#depth += 1;
    const holds = this.#compare(parts, wanted, splits);
    this.#depth -= 1;
    this.#open.delete(key);
    return holds;
  }

  /** {@link #isWithin} for a part of the value, which is smaller than the value. */
  #isWithinBelow(schemas: readonly unknown[], wanted: unknown): boolean {
    this.#entered += 1;
    const holds = this.#isWithin(schemas, wanted, 0);
    this.#entered -= 1;
    return holds;
  }

  #compare(parts: Parts, wanted: JsonObject, splits: number): boolean {
    if (parts.some((part) => this.#isSame(part, wanted, new Set()))) return true;
    const listed = this.#listed(parts);
    if (listed !== undefined) {
      const answer = this.#areListedWithin(listed, parts, wanted);
      if (answer !== undefined) return answer;
    }
    const target = this.#links.targets.get(wanted);
    if (target !== undefined && !this.#isWithin(parts, target, splits)) return false;
    const holds = Object.entries(wanted).every(([keyword, value]) =>
      this.#implies(parts, keyword, value, wanted, splits),
    );
    if (holds) return true;
    if (splits >= MAX_SPLITS) return false;
    const branches = this.#alternatives(parts);
    return branches?.every((branch) => this.#isWithin(branch, wanted, splits + 1)) ?? false;
  }

  #idOf(schema: object): number {
    let id = this.#ids.get(schema);
    if (id === undefined) {
      this.#lastId += 1;
      id = this.#lastId;
      this.#ids.set(schema, id);
    }
    return id;
  }

  /** Returns the schemas with what they refer to and what is in their `allOf`; undefined if one is `false`. */
  #partsOf(schemas: readonly unknown[]): Parts | undefined {
    const parts = new Set<JsonObject>();
    const waiting = [...schemas];
    for (let at = 0; at < waiting.length; at += 1) {
      const schema = waiting[at];
      if (schema === false) return undefined;
      if (!isObject(schema) || parts.has(schema)) continue;
      parts.add(schema);
      if (this.#links.targets.has(schema)) waiting.push(this.#links.targets.get(schema));
      waiting.push(...listOf(schema["allOf"]));
    }
    return [...parts];
  }

  /** Returns whether two schemas are the same but for the names of their `$defs`. */
  #isSame(one: unknown, other: unknown, met: Set<string>): boolean {
    if (one === other) return true;
    this.#steps += 1;
    if (this.#steps > MAX_STEPS) return false;
    if (Array.isArray(one) && Array.isArray(other)) {
      return (
        one.length === other.length && one.every((item, at) => this.#isSame(item, other[at], met))
      );
    }
    if (!isObject(one) || !isObject(other)) return false;
    const key = `${this.#idOf(one)}=${this.#idOf(other)}`;
    if (met.has(key)) return true;
    met.add(key);
    const [left, right] = [this.#links.targets.get(one), this.#links.targets.get(other)];
    if (left !== undefined || right !== undefined) {
      return this.#isSame(left ?? one, right ?? other, met);
    }
    const names = (of: JsonObject): string[] =>
      Object.keys(of).filter(
        (name) => !this.#links.roots.has(of) || !["$defs", "$schema"].includes(name),
      );
    const [mine, theirs] = [names(one), names(other)];
    return (
      mine.length === theirs.length &&
      mine.every((name) => Object.hasOwn(other, name) && this.#isSame(one[name], other[name], met))
    );
  }

  #kinds(parts: Parts): ReadonlySet<Kind> {
    let kinds = new Set<Kind>(KINDS);
    const keep = (allowed: ReadonlySet<Kind>): void => {
      kinds = new Set([...kinds].filter((kind) => allowed.has(kind)));
    };
    for (const { type, ...part } of parts) {
      if (type !== undefined) keep(kindsOfTypes(Array.isArray(type) ? type : [type]));
      const values = listedIn(part);
      if (values !== undefined) keep(new Set(values.map(kindOf)));
    }
    return kinds;
  }

  /** Returns all values that there can be, if the schemas list them. */
  #listed(parts: Parts): readonly unknown[] | undefined {
    for (const part of parts) {
      const values = listedIn(part);
      if (values !== undefined) return values;
    }
    const kinds = this.#kinds(parts);
    if (![...kinds].every((kind) => kind === "null" || kind === "boolean")) return undefined;
    return [...kinds].flatMap((kind) => (kind === "null" ? [null] : [true, false]));
  }

  /** Returns whether the listed values that all parts accept are accepted; undefined if they cannot all be asked about. */
  #areListedWithin(
    values: readonly unknown[],
    parts: Parts,
    wanted: JsonObject,
  ): boolean | undefined {
    if (values.length > MAX_LISTED) return undefined;
    const after = this.#compile(wanted);
    if (after === undefined) return undefined;
    const left = values.filter((value) => !after.isValid(value));
    // A value that is too much to check is not refused.
    const isRefusedBy = (part: JsonObject, value: unknown): boolean =>
      this.#compile(part)?.checkValue(value).outcome === "violation";
    return left.every((value) => parts.some((part) => isRefusedBy(part, value)));
  }

  #compile(schema: JsonObject): CompiledSchema | undefined {
    const known = this.#compiled.get(schema);
    if (known !== undefined) return known;
    this.#asked += 1;
    if (this.#asked > MAX_COMPILED) return undefined;
    const { $defs } = this.#links.roots.get(schema) ?? {};
    const compiled = compileSchema({
      value: { ...schema, ...($defs === undefined ? {} : { $defs }) },
    });
    if (compiled.fault !== undefined) return undefined;
    this.#compiled.set(schema, compiled);
    return compiled;
  }

  /** Returns whether no value can satisfy the parts, as far as that is easily seen. */
  #isEmpty(parts: Parts, depth: number): boolean {
    this.#steps += 1;
    if (depth > 3 || this.#steps > MAX_STEPS) return false;
    const kinds = this.#kinds(parts);
    if (kinds.size === 0) return true;
    const listed = this.#listed(parts);
    if (listed !== undefined && listed.length <= MAX_LISTED) {
      return listed.every((value) => parts.some((part) => isRefused(part, value)));
    }
    if (kinds.size > 1 || !kinds.has("object")) return false;
    return [...this.#required(parts)].some((name) => {
      const below = this.#partsOf(this.#member(parts, name));
      return below === undefined || this.#isEmpty(below, depth + 1);
    });
  }

  /** Returns the parts once for each alternative, all of which together are all values; undefined if there are none. */
  #alternatives(parts: Parts): readonly (readonly unknown[])[] | undefined {
    for (const part of parts) {
      for (const keyword of ["anyOf", "oneOf"]) {
        const branches = listOf(part[keyword]);
        if (branches.length === 0) continue;
        const rest = this.#without(parts, part, [keyword]);
        return branches.map((branch) => [...rest, branch]);
      }
      if (part["if"] !== undefined) {
        const rest = this.#without(parts, part, ["if", "then", "else"]);
        return [
          [...rest, part["if"], part["then"] ?? true],
          [...rest, part["else"] ?? true],
        ];
      }
    }
    const kinds = this.#kinds(parts);
    if (kinds.size < 2) return undefined;
    const types = new Set([...kinds].map((kind) => (kind === "fraction" ? "number" : kind)));
    if (types.has("number")) types.delete("integer");
    if (types.size < 2) return undefined;
    return [...types].map((type) => [...parts, { type }]);
  }

  /** Returns the parts, one of them without keywords. */
  #without(parts: Parts, part: JsonObject, keywords: readonly string[]): Parts {
    // What leads to it would bring it back, and is among the parts itself.
    return parts.map((each) => {
      const reduced = this.#reduced(each, ["$ref", "allOf", ...(each === part ? keywords : [])]);
      if (each === part || this.#reducedParts.has(each)) this.#reducedParts.add(reduced);
      return reduced;
    });
  }

  /** Returns a schema without keywords, and without those that depend on what others have found valid. */
  #reduced(part: JsonObject, keywords: readonly string[]): JsonObject {
    if (!keywords.some((keyword) => part[keyword] !== undefined)) return part;
    const left = Object.entries(part).filter(
      ([name]) => !keywords.includes(name) && !name.startsWith("unevaluated"),
    );
    const reduced = Object.fromEntries(left);
    const root = this.#links.roots.get(part);
    if (root !== undefined) this.#links.roots.set(reduced, root);
    return reduced;
  }

  #implies(
    parts: Parts,
    keyword: string,
    value: unknown,
    wanted: JsonObject,
    splits: number,
  ): boolean {
    const about = ABOUT.get(keyword);
    const kinds = this.#kinds(parts);
    if (about !== undefined && !about.some((kind) => kinds.has(kind))) return true;
    const numbers = (name: string): number[] =>
      parts.flatMap((part) => (typeof part[name] === "number" ? [part[name]] : []));
    const most = (name: string): number => Math.min(...numbers(name));
    const least = (name: string): number => Math.max(0, ...numbers(name));
    const limit = typeof value === "number" ? value : Number.NaN;
    switch (keyword) {
      case "$defs":
      case "$schema":
      case "$ref":
        return true;
      case "type": {
        const allowed = kindsOfTypes(Array.isArray(value) ? value : [value]);
        return [...kinds].every((kind) => allowed.has(kind));
      }
      case "allOf":
        return listOf(value).every((each) => this.#isWithin(parts, each, splits));
      case "anyOf":
        return listOf(value).some((each) => this.#isWithin(parts, each, splits));
      case "oneOf":
        return this.#isOneOf(parts, listOf(value), splits);
      case "not":
        return this.#isNone(parts, value, splits);
      case "if": {
        const { then: after = true, else: otherwise = true } = wanted;
        return (
          this.#isWithin([...parts, value], after, splits) &&
          this.#isWithin(parts, otherwise, splits)
        );
      }
      case "then":
      case "else":
        return true;
      case "minimum":
      case "exclusiveMinimum":
        return isBeyond(lowest(parts, kinds), limit, keyword === "exclusiveMinimum", 1);
      case "maximum":
      case "exclusiveMaximum":
        return isBeyond(highest(parts, kinds), limit, keyword === "exclusiveMaximum", -1);
      case "multipleOf":
        return (
          numbers("multipleOf").some((number) => isMultiple(number, limit)) ||
          (limit === 1 && !kinds.has("fraction"))
        );
      case "minLength":
      case "minItems":
        return least(keyword) >= limit;
      case "minProperties":
        return Math.max(least(keyword), this.#required(parts).size) >= limit;
      case "maxLength":
      case "maxItems":
      case "maxProperties":
        return most(keyword) <= limit;
      case "pattern":
      case "format":
        return parts.some((part) => part[keyword] === value);
      case "uniqueItems":
        return (
          value === false || parts.some((part) => part[keyword] === true) || most("maxItems") <= 1
        );
      case "required": {
        const there = this.#required(parts);
        return listOf(value).every((name) => there.has(String(name)));
      }
      case "dependentRequired":
        return Object.entries(mapOf(value)).every(([name, names]) =>
          this.#isWithin(
            [...parts, { type: "object", required: [name] }],
            { required: names },
            splits,
          ),
        );
      case "dependentSchemas":
        return Object.entries(mapOf(value)).every(([name, schema]) =>
          this.#isWithin([...parts, { type: "object", required: [name] }], schema, splits),
        );
      case "properties":
        return Object.entries(mapOf(value)).every(([name, schema]) =>
          this.#isMemberWithin(parts, name, schema),
        );
      case "patternProperties":
        return Object.entries(mapOf(value)).every(([source, schema]) =>
          this.#arePatternMembersWithin(parts, source, schema),
        );
      case "additionalProperties":
        return this.#areOthersWithin(parts, value, wanted);
      case "propertyNames":
        return this.#areNamesWithin(parts, value);
      case "prefixItems":
        return listOf(value).every(
          (schema, at) =>
            at >= most("maxItems") || this.#isWithinBelow(this.#item(parts, at), schema),
        );
      case "items": {
        const from = listOf(wanted["prefixItems"]).length;
        const to = Math.max(from, ...parts.map(({ prefixItems }) => listOf(prefixItems).length));
        for (let at = from; at <= to && at < most("maxItems"); at += 1) {
          if (!this.#isWithinBelow(this.#item(parts, at), value)) return false;
        }
        return true;
      }
      case "contains":
        return this.#isContained(parts, wanted);
      case "minContains":
      case "maxContains":
        return true;
      default:
        // `unevaluatedProperties` and the like, which depend on how the value was found valid.
        return false;
    }
  }

  #required(parts: Parts): ReadonlySet<string> {
    return new Set(parts.flatMap(({ required }) => listOf(required).map(String)));
  }

  #isOneOf(parts: Parts, branches: readonly unknown[], splits: number): boolean {
    return branches.some(
      (branch, at) =>
        this.#isWithin(parts, branch, splits) &&
        branches.every((other, index) => index === at || this.#areApart(parts, other)),
    );
  }

  /** Returns whether no value of the parts satisfies a schema, as far as that is easily seen. */
  #areApart(parts: Parts, schema: unknown): boolean {
    const both = this.#partsOf([...parts, schema]);
    return both === undefined || this.#isEmpty(both, 0);
  }

  #isNone(parts: Parts, schema: unknown, splits: number): boolean {
    if (this.#areApart(parts, schema)) return true;
    return parts.some(
      (part) => part["not"] !== undefined && this.#isWithin([schema], part["not"], splits),
    );
  }

  #matches(source: string, name: string): boolean | undefined {
    if (!this.#patterns.has(source)) {
      let pattern: Pattern | undefined;
      try {
        pattern = compilePattern(source);
      } catch {
        pattern = undefined;
      }
      this.#patterns.set(source, pattern);
    }
    return this.#patterns.get(source)?.test(name);
  }

  /** Returns what the parts say of a member. */
  #member(parts: Parts, name: string): readonly unknown[] {
    return parts.flatMap((part) => {
      const { properties, patternProperties, additionalProperties } = part;
      const own = mapOf(properties);
      const found = Object.hasOwn(own, name) ? [own[name]] : [];
      const matching = Object.entries(mapOf(patternProperties)).map(
        ([source, schema]) => [this.#matches(source, name), schema] as const,
      );
      found.push(...matching.filter(([is]) => is === true).map(([, schema]) => schema));
      // A pattern that cannot be asked may match, and then others are not additional.
      const isOther = found.length === 0 && matching.every(([is]) => is === false);
      return isOther && additionalProperties !== undefined ? [additionalProperties] : found;
    });
  }

  #isMemberWithin(parts: Parts, name: string, schema: unknown): boolean {
    const below = this.#member(parts, name);
    if (this.#isWithinBelow(below, schema)) return true;
    if (!this.#declaredOnly || below.length > 0 || this.#required(parts).has(name)) return false;
    // What stands in alternatives may speak of it.
    return parts.every(
      (part) =>
        !this.#reducedParts.has(part) &&
        !["anyOf", "oneOf", "if", "dependentSchemas", "not", "unevaluatedProperties"].some(
          (keyword) => part[keyword] !== undefined,
        ),
    );
  }

  #arePatternMembersWithin(parts: Parts, source: string, schema: unknown): boolean {
    const names = new Set(parts.flatMap(({ properties }) => Object.keys(mapOf(properties))));
    for (const name of names) {
      if (this.#matches(source, name) === false) continue;
      if (!this.#isWithinBelow(this.#member(parts, name), schema)) return false;
    }
    return parts.some((part) => {
      const { patternProperties } = part;
      const same = mapOf(patternProperties)[source];
      if (same !== undefined && this.#isWithinBelow([same], schema)) return true;
      return this.#areAllOthersWithin(part, schema, []);
    });
  }

  /** Returns whether all members that a part does not name satisfy a schema, but for those of some patterns. */
  #areAllOthersWithin(part: JsonObject, schema: unknown, except: readonly string[]): boolean {
    const { additionalProperties: others, patternProperties } = part;
    if (others === undefined || !this.#isWithinBelow([others], schema)) return false;
    return Object.entries(mapOf(patternProperties)).every(
      ([source, below]) => except.includes(source) || this.#isWithinBelow([below], schema),
    );
  }

  #areOthersWithin(parts: Parts, schema: unknown, wanted: JsonObject): boolean {
    const named = mapOf(wanted["properties"]);
    const sources = Object.keys(mapOf(wanted["patternProperties"]));
    const names = parts.flatMap(({ properties }) => Object.keys(mapOf(properties)));
    const isLeft = (name: string): boolean =>
      !Object.hasOwn(named, name) &&
      !sources.some((source) => this.#matches(source, name) === true);
    for (const name of new Set(names)) {
      if (isLeft(name) && !this.#isWithinBelow(this.#member(parts, name), schema)) return false;
    }
    return (
      isTrivial(schema) || parts.some((part) => this.#areAllOthersWithin(part, schema, sources))
    );
  }

  #areNamesWithin(parts: Parts, schema: unknown): boolean {
    const ofNames = parts.flatMap(({ propertyNames }) =>
      propertyNames === undefined ? [] : [propertyNames],
    );
    if (this.#isWithinBelow([{ type: "string" }, ...ofNames], schema)) return true;
    return parts.some(({ properties, patternProperties, additionalProperties }) => {
      if (additionalProperties !== false || Object.keys(mapOf(patternProperties)).length > 0)
        return false;
      const names = Object.keys(mapOf(properties));
      return names.length === 0 || this.#isWithinBelow([{ enum: names }], schema);
    });
  }

  /** Returns what the parts say of an item. */
  #item(parts: Parts, at: number): readonly unknown[] {
    return parts.flatMap(({ prefixItems, items }) => {
      const first = listOf(prefixItems);
      if (at < first.length) return [first[at]];
      return items === undefined ? [] : [items];
    });
  }

  #isContained(parts: Parts, { contains, minContains = 1, maxContains }: JsonObject): boolean {
    return parts.some((part) => {
      if (!this.#isSame(part["contains"], contains, new Set())) return false;
      const { minContains: least = 1, maxContains: most = Number.POSITIVE_INFINITY } = part;
      return (
        Number(least) >= Number(minContains) &&
        (maxContains === undefined || Number(most) <= Number(maxContains))
      );
    });
  }
}

function kindsOfTypes(types: readonly unknown[]): ReadonlySet<Kind> {
  return new Set(
    types.flatMap((type): Kind[] => (type === "number" ? ["integer", "fraction"] : [type as Kind])),
  );
}

function kindOf(value: unknown): Kind {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "fraction";
  return typeof value as Kind;
}

function listedIn(part: JsonObject): readonly unknown[] | undefined {
  if (Object.hasOwn(part, "const")) return [part["const"]];
  return Array.isArray(part["enum"]) ? part["enum"] : undefined;
}

/** Returns whether a part refuses a value by its type, or since it lists others; scalars only. */
function isRefused(part: JsonObject, value: unknown): boolean {
  const { type } = part;
  if (type !== undefined && !kindsOfTypes(Array.isArray(type) ? type : [type]).has(kindOf(value)))
    return true;
  if (typeof value === "object" && value !== null) return false;
  const listed = listedIn(part);
  return listed !== undefined && !listed.includes(value);
}

/** Returns the tightest lower bound of numbers. */
function lowest(parts: Parts, kinds: ReadonlySet<Kind>): Bound {
  let bound: Bound = { value: Number.NEGATIVE_INFINITY, isOpen: false };
  for (const { minimum, exclusiveMinimum } of parts) {
    if (typeof minimum === "number" && minimum > bound.value)
      bound = { value: minimum, isOpen: false };
    if (typeof exclusiveMinimum === "number" && exclusiveMinimum >= bound.value) {
      bound = { value: exclusiveMinimum, isOpen: true };
    }
  }
  if (kinds.has("fraction")) return bound;
  const whole = bound.isOpen ? Math.floor(bound.value) + 1 : Math.ceil(bound.value);
  return Number.isSafeInteger(whole) ? { value: whole, isOpen: false } : bound;
}

/** Returns the tightest upper bound of numbers. */
function highest(parts: Parts, kinds: ReadonlySet<Kind>): Bound {
  let bound: Bound = { value: Number.POSITIVE_INFINITY, isOpen: false };
  for (const { maximum, exclusiveMaximum } of parts) {
    if (typeof maximum === "number" && maximum < bound.value)
      bound = { value: maximum, isOpen: false };
    if (typeof exclusiveMaximum === "number" && exclusiveMaximum <= bound.value) {
      bound = { value: exclusiveMaximum, isOpen: true };
    }
  }
  if (kinds.has("fraction")) return bound;
  const whole = bound.isOpen ? Math.ceil(bound.value) - 1 : Math.floor(bound.value);
  return Number.isSafeInteger(whole) ? { value: whole, isOpen: false } : bound;
}

/** Returns whether all numbers within a bound are within a limit. */
function isBeyond(bound: Bound, limit: number, isOpen: boolean, by: 1 | -1): boolean {
  if (bound.value === limit) return bound.isOpen || !isOpen;
  return by * (bound.value - limit) > 0;
}

/** Returns whether all multiples of a number are multiples of another. */
function isMultiple(number: number, of: number): boolean {
  if (number === of) return true;
  return Number.isSafeInteger(number) && Number.isSafeInteger(of) && of !== 0 && number % of === 0;
}
