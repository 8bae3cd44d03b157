import { isObject, type JsonObject } from "@touchstone/core";
import { LinkedSchemas } from "./linked-schemas.ts";
import { highest, isBeyond, isMultiple, lowest } from "./number-bounds.ts";
import {
  ABOUT,
  isRefused,
  isTrivial,
  itemOf,
  kindsOf,
  kindsOfTypes,
  listedBy,
  listOf,
  mapOf,
  type Parts,
  requiredBy,
} from "./schema-parts.ts";

/** How many schemas are compared before a proof is given up. */
const MAX_STEPS = 20_000;
/** How deeply proofs may nest. */
const MAX_DEPTH = 400;
/** How deeply case distinctions on alternatives of the first schema may nest. */
const MAX_SPLITS = 4;
/** Longer lists of values are not examined. */
const MAX_LISTED = 1_000;

/** A proof that all values of one schema are also values of another. */
export type Proof =
  /** All of them. */
  | "all"
  /** All but those with members whose name the second schema mentions and the first one does not. */
  | "declared";

/**
 * Proves from their structure that one schema accepts every value that another accepts.
 * @param first the schema whose values are considered, in canonical form (`CompiledSchema.canonical`)
 * @param second the schema that should accept them, in canonical form
 * @returns undefined if no proof was found, which means nothing about the schemas
 */
export function proveSubset(first: JsonObject, second: JsonObject): Proof | undefined {
  if (new Prover(first, second, false).proves()) return "all";
  return new Prover(first, second, true).proves() ? "declared" : undefined;
}

class Prover {
  readonly #first: JsonObject;
  readonly #second: JsonObject;
  /** Whether members that only the second schema mentions are assumed absent. */
  readonly #declaredOnly: boolean;
  readonly #schemas: LinkedSchemas;
  /** The claims being proved, each with the number of members and items entered before it. */
  readonly #open: Map<string, number> = new Map();
  #entered = 0;
  #depth = 0;

  constructor(first: JsonObject, second: JsonObject, declaredOnly: boolean) {
    // Copied, so that a schema compared with itself has two distinct sides.
    this.#first = structuredClone(first) as JsonObject;
    this.#second = structuredClone(second) as JsonObject;
    this.#declaredOnly = declaredOnly;
    this.#schemas = new LinkedSchemas([this.#first, this.#second], MAX_STEPS);
  }

  proves(): boolean {
    return this.#isWithin([this.#first], this.#second, 0);
  }

  /** Returns whether each value that satisfies all of the schemas also satisfies `wanted`. */
  #isWithin(schemas: readonly unknown[], wanted: unknown, splits: number): boolean {
    if (!this.#schemas.step() || this.#depth > MAX_DEPTH) return false;
    if (isTrivial(wanted)) return true;
    const parts = this.#schemas.partsOf(schemas);
    if (parts === undefined || this.#isEmpty(parts, 0)) return true;
    if (!isObject(wanted)) return false;
    const key = `${parts.map((part) => this.#schemas.idOf(part)).join()}>${this.#schemas.idOf(wanted)}`;
    const before = this.#open.get(key);
    // A smaller value is compared with the same schemas. By induction on its size, this holds if everything else does.
    if (before !== undefined) return this.#entered > before;
    this.#open.set(key, this.#entered);
    this.#depth += 1;
    const holds = this.#compare(parts, wanted, splits);
    this.#depth -= 1;
    this.#open.delete(key);
    return holds;
  }

  /** {@link #isWithin} for a part of the value, which is smaller than the value itself. */
  #isWithinBelow(schemas: readonly unknown[], wanted: unknown): boolean {
    this.#entered += 1;
    const holds = this.#isWithin(schemas, wanted, 0);
    this.#entered -= 1;
    return holds;
  }

  #compare(parts: Parts, wanted: JsonObject, splits: number): boolean {
    if (parts.some((part) => this.#schemas.isSame(part, wanted, new Set()))) return true;
    const listed = listedBy(parts);
    if (listed !== undefined) {
      const answer = this.#areListedWithin(listed, parts, wanted);
      if (answer !== undefined) return answer;
    }
    const target = this.#schemas.targetOf(wanted);
    if (target !== undefined && !this.#isWithin(parts, target, splits)) return false;
    const holds = Object.entries(wanted).every(([keyword, value]) =>
      this.#implies(parts, keyword, value, wanted, splits),
    );
    if (holds) return true;
    if (splits >= MAX_SPLITS) return false;
    const branches = this.#alternatives(parts);
    return branches?.every((branch) => this.#isWithin(branch, wanted, splits + 1)) ?? false;
  }

  /**
   * Returns whether every listed value that all parts accept is accepted; undefined if they cannot all be checked.
   */
  #areListedWithin(
    values: readonly unknown[],
    parts: Parts,
    wanted: JsonObject,
  ): boolean | undefined {
    if (values.length > MAX_LISTED) return undefined;
    const after = this.#schemas.compile(wanted);
    if (after === undefined) return undefined;
    const left = values.filter((value) => this.#schemas.accepts(after, value) !== true);
    const isRefusedBy = (part: JsonObject, value: unknown): boolean => {
      const compiled = this.#schemas.compile(part);
      return compiled !== undefined && this.#schemas.accepts(compiled, value) === false;
    };
    return left.every((value) => parts.some((part) => isRefusedBy(part, value)));
  }

  /** Returns whether no value can satisfy the parts, as far as is easily seen. */
  #isEmpty(parts: Parts, depth: number): boolean {
    if (!this.#schemas.step() || depth > 3) return false;
    const kinds = kindsOf(parts);
    if (kinds.size === 0) return true;
    const listed = listedBy(parts);
    if (listed !== undefined && listed.length <= MAX_LISTED) {
      return listed.every((value) => parts.some((part) => isRefused(part, value)));
    }
    if (kinds.size > 1 || !kinds.has("object")) return false;
    return [...requiredBy(parts)].some((name) => {
      const below = this.#schemas.partsOf(this.#schemas.member(parts, name));
      return below === undefined || this.#isEmpty(below, depth + 1);
    });
  }

  /** Splits the parts into alternatives that together cover all values; undefined if there are none. */
  #alternatives(parts: Parts): readonly (readonly unknown[])[] | undefined {
    for (const part of parts) {
      for (const keyword of ["anyOf", "oneOf"]) {
        const branches = listOf(part[keyword]);
        if (branches.length === 0) continue;
        const rest = this.#schemas.without(parts, part, [keyword]);
        return branches.map((branch) => [...rest, branch]);
      }
      if (part["if"] !== undefined) {
        const rest = this.#schemas.without(parts, part, ["if", "then", "else"]);
        return [
          [...rest, part["if"], part["then"] ?? true],
          [...rest, part["else"] ?? true],
        ];
      }
    }
    const kinds = kindsOf(parts);
    if (kinds.size < 2) return undefined;
    const types = new Set([...kinds].map((kind) => (kind === "fraction" ? "number" : kind)));
    if (types.has("number")) types.delete("integer");
    if (types.size < 2) return undefined;
    return [...types].map((type) => [...parts, { type }]);
  }

  #implies(
    parts: Parts,
    keyword: string,
    value: unknown,
    wanted: JsonObject,
    splits: number,
  ): boolean {
    const about = ABOUT.get(keyword);
    const kinds = kindsOf(parts);
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
        return Math.max(least(keyword), requiredBy(parts).size) >= limit;
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
        const there = requiredBy(parts);
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
          (schema, at) => at >= most("maxItems") || this.#isWithinBelow(itemOf(parts, at), schema),
        );
      case "items": {
        const from = listOf(wanted["prefixItems"]).length;
        const to = Math.max(from, ...parts.map(({ prefixItems }) => listOf(prefixItems).length));
        for (let at = from; at <= to && at < most("maxItems"); at += 1) {
          if (!this.#isWithinBelow(itemOf(parts, at), value)) return false;
        }
        return true;
      }
      case "contains":
        return this.#isContained(parts, wanted);
      case "minContains":
      case "maxContains":
        return true;
      default:
        // `unevaluatedProperties` and the like, which depend on which keywords evaluated the value.
        return false;
    }
  }

  #isOneOf(parts: Parts, branches: readonly unknown[], splits: number): boolean {
    return branches.some(
      (branch, at) =>
        this.#isWithin(parts, branch, splits) &&
        branches.every((other, index) => index === at || this.#areApart(parts, other)),
    );
  }

  /** Returns whether no value of the parts satisfies a schema, as far as is easily seen. */
  #areApart(parts: Parts, schema: unknown): boolean {
    const both = this.#schemas.partsOf([...parts, schema]);
    return both === undefined || this.#isEmpty(both, 0);
  }

  #isNone(parts: Parts, schema: unknown, splits: number): boolean {
    if (this.#areApart(parts, schema)) return true;
    return parts.some(
      (part) => part["not"] !== undefined && this.#isWithin([schema], part["not"], splits),
    );
  }

  #isMemberWithin(parts: Parts, name: string, schema: unknown): boolean {
    const below = this.#schemas.member(parts, name);
    if (this.#isWithinBelow(below, schema)) return true;
    if (!this.#declaredOnly || below.length > 0 || requiredBy(parts).has(name)) return false;
    // Alternatives may mention the member.
    return parts.every(
      (part) =>
        !this.#schemas.isReduced(part) &&
        !["anyOf", "oneOf", "if", "dependentSchemas", "not", "unevaluatedProperties"].some(
          (keyword) => part[keyword] !== undefined,
        ),
    );
  }

  #arePatternMembersWithin(parts: Parts, source: string, schema: unknown): boolean {
    const names = new Set(parts.flatMap(({ properties }) => Object.keys(mapOf(properties))));
    for (const name of names) {
      if (this.#schemas.matches(source, name) === false) continue;
      if (!this.#isWithinBelow(this.#schemas.member(parts, name), schema)) return false;
    }
    return parts.some((part) => {
      const { patternProperties } = part;
      const same = mapOf(patternProperties)[source];
      if (same !== undefined && this.#isWithinBelow([same], schema)) return true;
      return this.#areAllOthersWithin(part, schema, []);
    });
  }

  /**
   * Returns whether all members that a part does not name satisfy a schema, except those matching certain patterns.
   */
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
      !sources.some((source) => this.#schemas.matches(source, name) === true);
    for (const name of new Set(names)) {
      if (isLeft(name) && !this.#isWithinBelow(this.#schemas.member(parts, name), schema))
        return false;
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

  #isContained(parts: Parts, { contains, minContains = 1, maxContains }: JsonObject): boolean {
    return parts.some((part) => {
      if (!this.#schemas.isSame(part["contains"], contains, new Set())) return false;
      const { minContains: least = 1, maxContains: most = Number.POSITIVE_INFINITY } = part;
      return (
        Number(least) >= Number(minContains) &&
        (maxContains === undefined || Number(most) <= Number(maxContains))
      );
    });
  }
}
