import { isObject, type JsonObject } from "@touchstone/core/advanced";
import { EmptyProofs } from "./empty-proofs.ts";
import { ItemProofs } from "./item-proofs.ts";
import { LinkedSchemas, pointerToSchema } from "./linked-schemas.ts";
import { type MemberClaims, MemberProofs, maxMembers } from "./member-proofs.ts";
import { scalarImplied } from "./scalar-proofs.ts";
import {
  acceptsEverything,
  arrayOrEmpty,
  KEYWORD_KINDS,
  kindsOf,
  listedValues,
  objectOrEmpty,
  requiredBy,
  type SchemaParts,
  sizeBounds,
} from "./schema-parts.ts";
import { TextProofs } from "./text-proofs.ts";

/** How many schemas are compared before a proof is given up. */
const MAX_STEPS = 20_000;
/** How deeply proofs may nest. */
const MAX_DEPTH = 400;
/** How deeply case distinctions on alternatives of the first schema may nest. */
const MAX_SPLITS = 4;
/** Keywords that mean the same in every schema, each with the keywords beside it that it depends on. */
const COMPOSED: ReadonlyMap<string, readonly string[]> = new Map([
  ["anyOf", []],
  ["oneOf", []],
  ["not", []],
  ["dependentSchemas", []],
  ["if", ["then", "else"]],
]);
/** A schema that describes every member, so that no member counts as undeclared. */
const ABOUT_ALL: readonly JsonObject[] = [{ additionalProperties: true }];

/** A proof that all values of one schema are also values of another. */
export type Proof =
  /** All values. */
  | "all"
  /** All values except those with members that only the second schema mentions. */
  | "declared";

/** Where a proof ended: a keyword of the second schema, by its RFC 6901 pointer. */
export interface ProofGap {
  readonly pointer: string;
}

/**
 * Proves from their structure that one schema accepts every value that another accepts.
 * @param first the schema whose values are considered, in canonical form (`CompiledSchema.canonical`)
 * @param second the schema that should accept them, in canonical form
 * @param options.steps how many schemas are compared before a proof is given up. Default 20,000
 * @returns a gap if no proof was found, which means nothing about the schemas
 */
export function proveSubset(
  first: JsonObject,
  second: JsonObject,
  { steps = MAX_STEPS }: { readonly steps?: number } = {},
): Proof | ProofGap {
  if (new Prover(first, second, false, steps).proves()) return "all";
  const prover = new Prover(first, second, true, steps);
  return prover.proves() ? "declared" : { pointer: prover.gap };
}

/** How many schemas a proof about a part may compare, and how many one about the whole. */
const STEPS_OF_PART = 500;
const STEPS_OF_WHOLE = 2_000;
/** How many pairs of parts are compared separately, before the whole. */
const MAX_PAIRS = 5_000;

/**
 * {@link proveSubset} in steps of some milliseconds: the parts of both schemas first, from the inside out, each with few
 * comparisons. Returns whether the second schema is proved to accept every value that the first one accepts. Finds
 * fewer proofs.
 * @param steps how many schemas are compared before a proof is given up
 */
export function* proveSubsetSteps(
  first: JsonObject,
  second: JsonObject,
  steps: number,
): Generator<void, boolean, void> {
  const prover = new Prover(first, second, false, steps);
  yield;
  for (const [one, other] of prover.pairs()) {
    prover.learn(one, other);
    yield;
  }
  return prover.proves(STEPS_OF_WHOLE);
}

class Prover {
  readonly #first: JsonObject;
  readonly #second: JsonObject;
  /** Whether members that only the second schema mentions are assumed absent. */
  readonly #declaredOnly: boolean;
  readonly #schemas: LinkedSchemas;
  readonly #texts: TextProofs = new TextProofs();
  readonly #members: MemberProofs;
  readonly #items: ItemProofs;
  readonly #none: EmptyProofs;
  /** All schemas of the first document that may apply to the current value, including those of all alternatives. */
  #origin: readonly JsonObject[] = [];
  /** The claims being proved, each with the number of members and items entered before it. */
  readonly #open: Map<string, number> = new Map();
  /** Claims that were proved without relying on a claim that was still open. */
  readonly #proved: Set<string> = new Set();
  #entered = 0;
  #depth = 0;
  /** Above 0 while a claim may fail without ending the proof. */
  #tries = 0;
  #gap: { readonly schema: JsonObject; readonly keyword: string } | undefined;

  constructor(first: JsonObject, second: JsonObject, declaredOnly: boolean, steps: number) {
    // Copied, so that a schema compared with itself has two distinct sides.
    this.#first = structuredClone(first) as JsonObject;
    this.#second = structuredClone(second) as JsonObject;
    this.#declaredOnly = declaredOnly;
    this.#schemas = new LinkedSchemas([this.#first, this.#second], steps);
    const claims: MemberClaims = {
      isWithin: (schemas, wanted, below) => this.#isWithinBelow(schemas, wanted, below),
      some: (list, holds) => this.#some(list, holds),
    };
    this.#members = new MemberProofs(this.#schemas, this.#texts, claims);
    this.#items = new ItemProofs(claims);
    this.#none = new EmptyProofs(this.#schemas, this.#texts);
  }

  /**
   * Yields pairs of schemas at the same place of both documents, those inside others first. References are followed, each
   * pair once.
   */
  *pairs(): Generator<readonly [JsonObject, JsonObject], void, void> {
    const met = new Set<string>();
    const found: [JsonObject, JsonObject][] = [];
    const open: [unknown, unknown][] = [[this.#first, this.#second]];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const [one, other] = next;
      if (Array.isArray(one) && Array.isArray(other)) {
        for (const [at, item] of one.entries()) open.push([item, other[at]]);
        continue;
      }
      if (!isObject(one) || !isObject(other)) continue;
      const key = `${this.#schemas.idOf(one)}>${this.#schemas.idOf(other)}`;
      if (met.has(key) || met.size === MAX_PAIRS) continue;
      met.add(key);
      const [target, otherTarget] = [one, other].map((each) => this.#schemas.targetOf(each));
      if (target !== undefined || otherTarget !== undefined) {
        open.push([target ?? one, otherTarget ?? other]);
      }
      if (this.#schemas.isSchema(one) && this.#schemas.isSchema(other)) found.push([one, other]);
      for (const [name, held] of Object.entries(one)) open.push([held, other[name]]);
    }
    // The first pair, which is the whole, is left out: the caller compares it last.
    yield* found.slice(1).reverse();
  }

  /** Proves a claim about parts of both documents, if that takes few comparisons, and remembers it. */
  learn(one: JsonObject, other: JsonObject): void {
    this.#schemas.allow(STEPS_OF_PART);
    this.#isWithin([one], other, 0);
  }

  /** @param steps how many schemas are compared for this. Default: as many as are left */
  proves(steps = Number.POSITIVE_INFINITY): boolean {
    this.#schemas.allow(steps);
    this.#origin = this.#schemas.inPlace([this.#first]);
    return this.#isWithin([this.#first], this.#second, 0);
  }

  /** The keyword of the second schema that was not proved first, as far as it is in that schema as it was given. */
  get gap(): string {
    const { schema, keyword } = this.#gap ?? {};
    return schema === undefined ? "" : `${pointerToSchema(this.#second, schema) ?? ""}/${keyword}`;
  }

  #some<T>(list: readonly T[], holds: (item: T, at: number) => boolean): boolean {
    this.#tries += 1;
    const result = list.some(holds);
    this.#tries -= 1;
    return result;
  }

  /** Returns whether each value that satisfies all of the schemas also satisfies `wanted`. */
  #isWithin(schemas: readonly unknown[], wanted: unknown, splits: number): boolean {
    if (!this.#schemas.step() || this.#depth > MAX_DEPTH) return false;
    if (acceptsEverything(wanted)) return true;
    const parts = this.#schemas.partsOf(schemas);
    if (parts === undefined) return true;
    const ids = (of: readonly object[]): string => of.map((one) => this.#schemas.idOf(one)).join();
    const goal = isObject(wanted) ? ids([wanted]) : "";
    const key = `${ids(parts)}>${goal}@${this.#declaredOnly ? ids(this.#origin) : ""}`;
    if (this.#proved.has(key) || this.#none.isEmpty(parts)) return true;
    if (!isObject(wanted)) return false;
    const before = this.#open.get(key);
    // A smaller value is compared with the same schemas. By induction on its size, this holds if everything else does.
    if (before !== undefined) return this.#entered > before;
    this.#open.set(key, this.#entered);
    this.#depth += 1;
    const holds = this.#compare(parts, wanted, splits);
    this.#depth -= 1;
    this.#open.delete(key);
    if (holds && this.#open.size === 0) this.#proved.add(key);
    return holds;
  }

  /**
   * {@link #isWithin} for a part of the value, which is smaller than the value itself.
   * @param below the schemas that a schema may apply to that part
   */
  #isWithinBelow(
    schemas: readonly unknown[],
    wanted: unknown,
    below: (schema: JsonObject) => readonly unknown[],
  ): boolean {
    const origin = this.#origin;
    if (this.#declaredOnly) this.#origin = this.#schemas.inPlace(origin.flatMap(below));
    this.#entered += 1;
    const holds = this.#isWithin(schemas, wanted, 0);
    this.#entered -= 1;
    this.#origin = origin;
    return holds;
  }

  #compare(parts: SchemaParts, wanted: JsonObject, splits: number): boolean {
    if (parts.some((part) => this.#schemas.isSame(part, wanted, new Set()))) return true;
    const listed = listedValues(parts);
    if (listed !== undefined) {
      const answer = this.#none.areListedWithin(listed, parts, wanted);
      if (answer !== undefined) return answer;
    }
    const target = this.#schemas.targetOf(wanted);
    if (target !== undefined && !this.#isWithin(parts, target, splits)) return false;
    const gap = this.#gap;
    const holds = Object.entries(wanted).every(([keyword, value]) => {
      const isImplied = this.#implies(parts, keyword, value, wanted, splits);
      if (!isImplied && this.#tries === 0) this.#gap ??= { schema: wanted, keyword };
      return isImplied;
    });
    if (holds) return true;
    if (splits >= MAX_SPLITS) return false;
    const branches = this.#alternatives(parts);
    if (branches?.every((branch) => this.#isWithin(branch, wanted, splits + 1)) !== true)
      return false;
    this.#gap = gap;
    return true;
  }

  /** Splits the parts into alternatives that together cover all values; undefined if there are none. */
  #alternatives(parts: SchemaParts): readonly (readonly unknown[])[] | undefined {
    for (const part of parts) {
      for (const keyword of ["anyOf", "oneOf"]) {
        const branches = arrayOrEmpty(part[keyword]);
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
    parts: SchemaParts,
    keyword: string,
    value: unknown,
    wanted: JsonObject,
    splits: number,
  ): boolean {
    const about = KEYWORD_KINDS.get(keyword);
    const kinds = kindsOf(parts);
    if (about !== undefined && !about.some((kind) => kinds.has(kind))) return true;
    const isKnown = scalarImplied(parts, kinds, keyword, value, this.#texts);
    if (isKnown !== undefined) return isKnown;
    const beside = COMPOSED.get(keyword);
    const isSaid = (part: JsonObject): boolean =>
      [keyword, ...(beside ?? [])].every((each) =>
        this.#schemas.isSame(part[each], wanted[each], new Set()),
      );
    if (beside !== undefined && parts.some(isSaid)) return true;
    switch (keyword) {
      case "$defs":
      case "$schema":
      case "$ref":
        return true;
      case "allOf":
        return arrayOrEmpty(value).every((each) => this.#isWithin(parts, each, splits));
      case "anyOf":
        return this.#some(arrayOrEmpty(value), (each) => this.#isWithin(parts, each, splits));
      case "oneOf":
        return this.#isOneOf(parts, arrayOrEmpty(value), splits);
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
      case "maxProperties":
        return Math.min(sizeBounds(parts, "", keyword)[1], maxMembers(parts)) <= Number(value);
      case "required": {
        const there = requiredBy(parts);
        return arrayOrEmpty(value).every((name) => there.has(String(name)));
      }
      case "dependentRequired":
        return Object.entries(objectOrEmpty(value)).every(([name, names]) =>
          this.#isWithin(
            [...parts, { type: "object", required: [name] }],
            { required: names },
            splits,
          ),
        );
      case "dependentSchemas":
        return Object.entries(objectOrEmpty(value)).every(([name, schema]) =>
          this.#isWithin([...parts, { type: "object", required: [name] }], schema, splits),
        );
      case "properties":
        return Object.entries(objectOrEmpty(value)).every(([name, schema]) =>
          this.#isMemberWithin(parts, name, schema),
        );
      case "patternProperties":
        return Object.entries(objectOrEmpty(value)).every(([source, schema]) =>
          this.#members.arePatternMembersWithin(parts, source, schema),
        );
      case "additionalProperties":
        return this.#members.areOthersWithin(parts, value, wanted);
      case "propertyNames":
        return this.#members.areNamesWithin(parts, value);
      case "prefixItems":
        return this.#items.arePlacesWithin(parts, arrayOrEmpty(value));
      case "items":
        return this.#items.areOthersWithin(parts, value, wanted);
      case "contains":
        return this.#items.isContained(parts, wanted);
      case "minContains":
      case "maxContains":
        return true;
      case "unevaluatedProperties":
        return this.#members.areUnevaluatedWithin(parts, value, wanted);
      default:
        // For example `unevaluatedItems`, which depends on which keywords evaluated the value.
        return false;
    }
  }

  #isOneOf(parts: SchemaParts, branches: readonly unknown[], splits: number): boolean {
    return this.#some(
      branches,
      (branch, at) =>
        this.#isWithin(parts, branch, splits) &&
        branches.every((other, index) => index === at || this.#areApart(parts, other)),
    );
  }

  /** Returns whether no value of the parts satisfies a schema, as far as a quick check shows. */
  #areApart(parts: SchemaParts, schema: unknown): boolean {
    const both = this.#schemas.partsOf([...parts, schema]);
    return both === undefined || this.#none.isEmpty(both);
  }

  #isNone(parts: SchemaParts, schema: unknown, splits: number): boolean {
    if (this.#areApart(parts, schema)) return true;
    const origin = this.#origin;
    // Members that are mentioned below `not` are not left out of values.
    this.#origin = ABOUT_ALL;
    const holds = this.#some(
      parts,
      (part) => part["not"] !== undefined && this.#isWithin([schema], part["not"], splits),
    );
    this.#origin = origin;
    return holds;
  }

  #isMemberWithin(parts: SchemaParts, name: string, schema: unknown): boolean {
    const isLeftOut =
      this.#declaredOnly &&
      !requiredBy(parts).has(name) &&
      !this.#schemas.speaksOf(this.#origin, name);
    return isLeftOut || this.#members.isNamedWithin(parts, name, schema);
  }
}
