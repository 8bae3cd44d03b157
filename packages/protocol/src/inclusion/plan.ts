import { isObject, type JsonObject } from "@touchstone/core/advanced";
import type { LinkedSchemas } from "./linked-schemas.ts";
import {
  arrayOrEmpty,
  itemSchemas,
  KEYWORD_KINDS,
  KINDS,
  type Kind,
  kindsOf,
  kindsOfTypes,
  objectOrEmpty,
  requiredBy,
  type SchemaParts,
} from "./schema-parts.ts";

/** Requirements on one member or item of a value, in addition to those of the value's schemas. */
export interface MemberDemand<Key> {
  readonly key: Key;
  /** Schemas that it must satisfy. */
  readonly must: readonly unknown[];
  /** Schemas that it must not satisfy. */
  readonly fails: readonly unknown[];
}

/** Requirements on a value so that some schemas refuse it. */
export interface ViolationPlan {
  /** Schemas that it must satisfy. */
  readonly must: readonly unknown[];
  readonly kinds: ReadonlySet<Kind>;
  /** Lists of JSON texts of values that it must not be equal to. */
  readonly forbidden: readonly ReadonlySet<string>[];
  readonly missed: readonly string[];
  readonly misformats: readonly string[];
  readonly notMultiples: readonly number[];
  readonly absent: ReadonlySet<string>;
  readonly members: readonly MemberDemand<string>[];
  readonly items: readonly MemberDemand<number>[];
  /** Schemas that none of its items satisfies. */
  readonly outside: readonly unknown[];
  /** Whether its first two items are the same. */
  readonly hasTwins: boolean;
}

export const NO_VIOLATION_PLAN: ViolationPlan = {
  must: [],
  kinds: new Set(KINDS),
  forbidden: [],
  missed: [],
  misformats: [],
  notMultiples: [],
  absent: new Set(),
  members: [],
  items: [],
  outside: [],
  hasTwins: false,
};

/** How many pairs of branches of a `oneOf` are tried, and how many items of `maxContains`. */
const MAX_PAIRS = 100;
const MAX_ITEMS = 1_000;
/** How deeply schemas may apply to the same value. */
const MAX_DEPTH = 24;

/** Keywords that depend on others beside them. */
const BESIDE: ReadonlyMap<string, readonly string[]> = new Map([
  ["items", ["prefixItems"]],
  ["additionalProperties", ["properties", "patternProperties"]],
  ["contains", ["minContains", "maxContains"]],
  ["if", ["then", "else"]],
]);

/** Names of members that are not in any of a schema's `properties`. */
export type OtherNames = (
  parts: SchemaParts,
  named: ReadonlySet<string>,
  missed: readonly string[],
) => Iterable<string>;

/** Finds the ways in which a value that satisfies some parts can fail a schema. */
export class ViolationPlanner {
  readonly #schemas: LinkedSchemas;
  readonly #parts: SchemaParts;
  /** Whether members that only the failed schema declares are left out. */
  readonly #declaredOnly: boolean;
  readonly #others: OtherNames;
  /** The JSON texts of the values that a schema lists. */
  readonly #listed: Map<JsonObject, ReadonlySet<string>> = new Map();
  readonly #names: (schemas: readonly unknown[], fails: readonly unknown[]) => Iterable<unknown>;

  constructor(
    schemas: LinkedSchemas,
    parts: SchemaParts,
    declaredOnly: boolean,
    others: OtherNames,
    names: (schemas: readonly unknown[], fails: readonly unknown[]) => Iterable<unknown>,
  ) {
    this.#schemas = schemas;
    this.#parts = parts;
    this.#declaredOnly = declaredOnly;
    this.#others = others;
    this.#names = names;
  }

  /** Yields plans for values that fail all of the schemas. */
  *all(
    plan: ViolationPlan,
    schemas: readonly unknown[],
    depth = 0,
    at = 0,
  ): Generator<ViolationPlan, void, void> {
    if (at === schemas.length) {
      yield plan;
      return;
    }
    for (const next of this.#failing(plan, schemas[at], depth)) {
      yield* this.all(next, schemas, depth, at + 1);
    }
  }

  *#failing(
    plan: ViolationPlan,
    schema: unknown,
    depth: number,
  ): Generator<ViolationPlan, void, void> {
    if (schema === false) yield plan;
    if (!isObject(schema) || depth > MAX_DEPTH || !this.#schemas.step()) return;
    for (const [keyword, value] of Object.entries(schema)) {
      if (this.#isSame(keyword, schema)) continue;
      const about = KEYWORD_KINDS.get(keyword);
      const kinds = about === undefined ? plan.kinds : intersectKinds(plan.kinds, about);
      if (kinds.size === 0) continue;
      const limited = kinds.size === plan.kinds.size ? plan : { ...plan, kinds };
      yield* this.#keyword(limited, keyword, value, schema, depth + 1);
    }
  }

  /** Returns whether a part has the same keyword with the same value, so that no value of the parts fails it. */
  #isSame(keyword: string, schema: JsonObject): boolean {
    if (keyword.startsWith("unevaluated")) return false;
    const all = [keyword, ...(BESIDE.get(keyword) ?? [])];
    return this.#parts.some(
      (part) =>
        part[keyword] !== undefined &&
        all.every(
          (each) =>
            part[each] === schema[each] ||
            this.#schemas.isSame(part[each], schema[each], new Set()),
        ),
    );
  }

  *#keyword(
    plan: ViolationPlan,
    keyword: string,
    value: unknown,
    schema: JsonObject,
    depth: number,
  ): Generator<ViolationPlan, void, void> {
    const limit = typeof value === "number" ? value : Number.NaN;
    const also = (part: JsonObject): ViolationPlan => ({ ...plan, must: [...plan.must, part] });
    switch (keyword) {
      case "$ref":
        yield* this.#failing(plan, this.#schemas.targetOf(schema), depth);
        return;
      case "allOf":
        for (const each of arrayOrEmpty(value)) yield* this.#failing(plan, each, depth);
        return;
      case "anyOf":
        yield* this.all(plan, arrayOrEmpty(value), depth);
        return;
      case "oneOf":
        yield* this.#oneOf(plan, arrayOrEmpty(value), depth);
        return;
      case "not":
        yield { ...plan, must: [...plan.must, value] };
        return;
      case "if": {
        const { then: after = true, else: otherwise = true } = schema;
        yield* this.#failing({ ...plan, must: [...plan.must, value] }, after, depth);
        if (otherwise !== true) {
          for (const next of this.#failing(plan, value, depth)) {
            yield* this.#failing(next, otherwise, depth);
          }
        }
        return;
      }
      case "type": {
        const allowed = kindsOfTypes(Array.isArray(value) ? value : [value]);
        const kinds = intersectKinds(
          plan.kinds,
          KINDS.filter((kind) => !allowed.has(kind)),
        );
        if (kinds.size > 0) yield { ...plan, kinds };
        return;
      }
      case "const":
      case "enum": {
        const values = keyword === "const" ? [value] : arrayOrEmpty(value);
        let texts = this.#listed.get(schema);
        texts ??= new Set(values.map((each) => JSON.stringify(each)));
        this.#listed.set(schema, texts);
        yield { ...plan, forbidden: [...plan.forbidden, texts] };
        return;
      }
      case "minimum":
        yield also({ exclusiveMaximum: limit });
        return;
      case "exclusiveMinimum":
        yield also({ maximum: limit });
        return;
      case "maximum":
        yield also({ exclusiveMinimum: limit });
        return;
      case "exclusiveMaximum":
        yield also({ minimum: limit });
        return;
      case "minLength":
      case "minItems":
      case "minProperties":
        if (limit > 0) yield also({ [keyword.replace("min", "max")]: limit - 1 });
        return;
      case "maxLength":
      case "maxItems":
      case "maxProperties":
        yield also({ [keyword.replace("max", "min")]: limit + 1 });
        return;
      case "multipleOf":
        yield { ...plan, notMultiples: [...plan.notMultiples, limit] };
        return;
      case "pattern":
        yield { ...plan, missed: [...plan.missed, String(value)] };
        return;
      case "format":
        yield { ...plan, misformats: [...plan.misformats, String(value)] };
        return;
      case "uniqueItems":
        if (value === true) yield { ...also({ minItems: 2 }), hasTwins: true };
        return;
      case "contains":
        yield* this.#contains(plan, schema);
        return;
      case "prefixItems":
      case "items":
      case "unevaluatedItems":
        yield* this.#items(plan, keyword, schema);
        return;
      case "required":
        for (const name of arrayOrEmpty(value)) {
          const absent = new Set([...plan.absent, String(name)]);
          if (!requiredBy(this.#parts).has(String(name))) yield { ...plan, absent };
        }
        return;
      case "dependentRequired":
        for (const [name, others] of Object.entries(objectOrEmpty(value))) {
          for (const other of arrayOrEmpty(others)) {
            yield {
              ...withMember(plan, name, []),
              absent: new Set([...plan.absent, String(other)]),
            };
          }
        }
        return;
      case "dependentSchemas":
        for (const [name, below] of Object.entries(objectOrEmpty(value))) {
          yield* this.#failing(withMember(plan, name, []), below, depth);
        }
        return;
      case "propertyNames":
        yield* this.#propertyNames(plan, value);
        return;
      case "properties":
        for (const [name, below] of Object.entries(objectOrEmpty(value))) {
          yield* this.#member(plan, name, below);
        }
        return;
      case "patternProperties":
        for (const [source, below] of Object.entries(objectOrEmpty(value))) {
          for (const name of this.#namesLike(source)) yield* this.#member(plan, name, below);
        }
        return;
      case "additionalProperties":
      case "unevaluatedProperties":
        yield* this.#otherMembers(plan, value, schema);
        return;
    }
  }

  *#oneOf(
    plan: ViolationPlan,
    branches: readonly unknown[],
    depth: number,
  ): Generator<ViolationPlan, void, void> {
    yield* this.all(plan, branches, depth);
    let left = MAX_PAIRS;
    for (const [at, one] of branches.entries()) {
      for (const other of branches.slice(at + 1)) {
        left -= 1;
        if (left < 0) return;
        yield { ...plan, must: [...plan.must, one, other] };
      }
    }
  }

  *#contains(plan: ViolationPlan, schema: JsonObject): Generator<ViolationPlan, void, void> {
    const { contains, minContains = 1, maxContains } = schema;
    const least = Number(minContains);
    if (least > 0) {
      yield { ...plan, outside: [...plan.outside, contains] };
      yield { ...plan, must: [...plan.must, { maxItems: least - 1 }] };
    }
    if (typeof maxContains !== "number" || maxContains >= MAX_ITEMS) return;
    const items = Array.from({ length: maxContains + 1 }, (_, key) => ({
      key,
      must: [contains],
      fails: [],
    }));
    yield { ...plan, items: [...plan.items, ...items] };
  }

  *#items(
    plan: ViolationPlan,
    keyword: string,
    schema: JsonObject,
  ): Generator<ViolationPlan, void, void> {
    const places = arrayOrEmpty(schema["prefixItems"]);
    const put = (key: number, below: unknown): ViolationPlan => ({
      ...plan,
      items: [...plan.items, { key, must: [], fails: [below] }],
    });
    const isKnown = (key: number, below: unknown): boolean =>
      itemSchemas(this.#parts, key).some((own) => this.#schemas.isSame(own, below, new Set()));
    if (keyword === "prefixItems") {
      for (const [key, below] of places.entries()) if (!isKnown(key, below)) yield put(key, below);
      return;
    }
    const own = this.#parts.map(({ prefixItems }) => arrayOrEmpty(prefixItems).length);
    const below = schema[keyword];
    for (let key = places.length; key <= Math.max(places.length, ...own); key += 1) {
      if (!isKnown(key, below)) yield put(key, below);
    }
  }

  *#member(
    plan: ViolationPlan,
    name: string,
    below: unknown,
  ): Generator<ViolationPlan, void, void> {
    const own = this.#schemas.member(this.#parts, name);
    if (plan.absent.has(name) || own.includes(false)) return;
    if (own.some((each) => this.#schemas.isSame(each, below, new Set()))) return;
    const isUndeclared = own.length === 0 && !requiredBy(this.#parts).has(name);
    if (isUndeclared && this.#declaredOnly) return;
    yield withMember(plan, name, [below]);
  }

  *#propertyNames(plan: ViolationPlan, schema: unknown): Generator<ViolationPlan, void, void> {
    const own = this.#parts.flatMap(({ properties }) => Object.keys(objectOrEmpty(properties)));
    const ofNames = this.#parts.flatMap(({ propertyNames }) =>
      propertyNames === undefined ? [] : [propertyNames],
    );
    const made = this.#names([{ type: "string" }, ...ofNames], [schema]);
    for (const name of [...own, ...made]) {
      if (typeof name === "string" && !plan.absent.has(name)) yield withMember(plan, name, []);
    }
  }

  /** Returns names that match a pattern. */
  *#namesLike(source: string): Generator<string, void, void> {
    const sources = this.#parts.flatMap((part) =>
      Object.keys(objectOrEmpty(part["patternProperties"])),
    );
    for (const { properties } of this.#parts) {
      for (const name of Object.keys(objectOrEmpty(properties))) {
        if (this.#schemas.matches(source, name) === true) yield name;
      }
    }
    const missing = { not: { anyOf: sources.map((each) => ({ pattern: each })) } };
    const wanted = [...sources.map((each) => ({ pattern: each })), missing];
    for (const more of wanted) {
      yield* textsAmong(this.#names([{ type: "string", pattern: source }, more], []));
    }
  }

  *#otherMembers(
    plan: ViolationPlan,
    below: unknown,
    schema: JsonObject,
  ): Generator<ViolationPlan, void, void> {
    const beside = this.#schemas.partsOf([schema]) ?? [schema];
    const named = new Set(
      beside.flatMap(({ properties }) => Object.keys(objectOrEmpty(properties))),
    );
    const sources = beside.flatMap((part) => Object.keys(objectOrEmpty(part["patternProperties"])));
    for (const name of this.#others(this.#parts, named, sources)) {
      const own = this.#schemas.member(this.#parts, name);
      if (plan.absent.has(name) || own.includes(false)) continue;
      if (own.some((each) => this.#schemas.isSame(each, below, new Set()))) continue;
      yield withMember(plan, name, [below]);
    }
  }
}

/** Yields up to two of the values that are texts. */
function* textsAmong(values: Iterable<unknown>): Generator<string, void, void> {
  let left = 2;
  for (const value of values) {
    if (typeof value !== "string") continue;
    yield value;
    left -= 1;
    if (left === 0) return;
  }
}

function withMember(plan: ViolationPlan, key: string, fails: readonly unknown[]): ViolationPlan {
  return { ...plan, members: [...plan.members, { key, must: [], fails }] };
}

/** Returns the kinds that are in both sets. */
export function intersectKinds(
  kinds: ReadonlySet<Kind>,
  allowed: Iterable<Kind>,
): ReadonlySet<Kind> {
  return new Set([...allowed].filter((kind) => kinds.has(kind)));
}

/** Returns the kinds that a plan for values of the parts allows. */
export function kindsOfPlan(parts: SchemaParts, plan: ViolationPlan): ReadonlySet<Kind> {
  return intersectKinds(plan.kinds, kindsOf(parts));
}
