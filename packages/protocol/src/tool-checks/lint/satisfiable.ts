import {
  type CompiledSchema,
  compileDeclared,
  compilePattern,
  fragmentTokens,
  isObject,
  type JsonObject,
  valueAt,
} from "@touchstone/core/advanced";
import { lowerBound, upperBound } from "../../inclusion/number-bounds.ts";
import {
  arrayOrEmpty,
  type Kind,
  kindOf,
  kindsOf,
  objectOrEmpty,
  requiredBy,
  type SchemaParts,
  sizeBounds,
} from "../../inclusion/schema-parts.ts";
import { allowsRefSiblings } from "../../keywords.ts";
import type { UnassignedFinding } from "./finding.ts";
import { mayHaveReference, type Subschema } from "./walk.ts";

/*
 * Schemas that nothing can satisfy. Only contradictions that follow from the keywords are found: a schema without a
 * finding may still accept nothing. Keywords that are not read only leave contradictions unseen.
 */

/** How many schemas to examine for all places of one tool's schema. */
const MAX_STEPS = 20_000;
/** How many levels of references, branches and members are followed. */
const MAX_DEPTH = 64;
/** Longer lists of values are not examined. */
const MAX_LISTED = 1_000;

/** Why nothing satisfies a schema. */
interface Nothing {
  readonly why: string;
  /** Whether each value would have to contain another value of the same schema, endlessly. */
  readonly endless?: true;
  /** Whether the cause is a schema inside this one, which has a finding of its own. */
  readonly follows: boolean;
}

const ENDLESS = "each value would have to contain another one, without an end";

const nothing = (why: string, follows = false): Nothing => ({ why, follows });

/** Looks for contradictions in the schemas of one document. */
export class ContradictionFinder {
  readonly #top: JsonObject;
  /** See {@link allowsRefSiblings}. */
  readonly #readsBeside: boolean;
  #steps = MAX_STEPS;
  /** The schemas that are being examined. If one is reached again, its values would have to contain themselves. */
  readonly #open: Set<string> = new Set();
  readonly #ids: WeakMap<object, number> = new WeakMap();
  /** Cached results of {@link #haveTwins}. */
  readonly #twins: WeakMap<readonly unknown[], boolean> = new WeakMap();
  #lastId = 0;

  constructor(top: JsonObject) {
    this.#top = top;
    this.#readsBeside = allowsRefSiblings(top);
  }

  /** Whether schemas were left unexamined, because there are too many. */
  get isCut(): boolean {
    return this.#steps <= 0;
  }

  /** Returns why no value satisfies all of some schemas; undefined if no reason is known. */
  none(schemas: readonly unknown[], depth: number = MAX_DEPTH): Nothing | undefined {
    if (depth === 0) return undefined;
    const parts = this.#parts(schemas, depth);
    if (parts === undefined) return nothing("it has false as a schema of the same value");
    this.#steps -= Math.max(1, parts.length);
    if (this.#steps <= 0) return undefined;
    const key = parts
      .filter((part) => !isReference(part))
      .map((part) => this.#id(part))
      .join();
    if (this.#open.has(key)) return { ...nothing(ENDLESS), endless: true };
    this.#open.add(key);
    try {
      return this.#contradiction(parts, depth);
    } finally {
      this.#open.delete(key);
    }
  }

  /** Returns whether `{}` is the only value that satisfies a schema. */
  onlyEmpty(schema: JsonObject): boolean {
    const parts = this.#parts([schema], MAX_DEPTH);
    if (parts === undefined) return false;
    const kinds = kindsOf(parts);
    if (kinds.size !== 1 || !kinds.has("object")) return false;
    return parts.some(
      (part) =>
        part["additionalProperties"] === false &&
        Object.keys(objectOrEmpty(part["properties"])).length === 0 &&
        Object.keys(objectOrEmpty(part["patternProperties"])).length === 0,
    );
  }

  #id(part: object): number {
    const known = this.#ids.get(part);
    if (known !== undefined) return known;
    this.#lastId += 1;
    this.#ids.set(part, this.#lastId);
    return this.#lastId;
  }

  /** Returns the schemas that apply to the same value whatever it is; undefined if one of them is `false`. */
  #parts(schemas: readonly unknown[], depth: number): SchemaParts | undefined {
    const found = new Set<JsonObject>();
    const add = (schema: unknown, left: number): boolean => {
      if (schema === false) return false;
      if (!isObject(schema) || found.has(schema) || left === 0) return true;
      const { $ref, allOf } = schema;
      if (typeof $ref === "string" && !this.#readsBeside) return add(this.#target($ref), left - 1);
      found.add(schema);
      if (typeof $ref === "string" && !add(this.#target($ref), left - 1)) return false;
      return arrayOrEmpty(allOf).every((one) => add(one, left - 1));
    };
    return schemas.every((one) => add(one, depth)) ? [...found] : undefined;
  }

  /** Returns the schema that a reference leads to in the same document; true if that is not known. */
  #target(reference: string): unknown {
    if (!reference.startsWith("#") || typeof this.#top["$id"] === "string") return true;
    const tokens = fragmentTokens(reference);
    const found = tokens && valueAt(this.#top, tokens);
    return found === undefined ? true : found.value;
  }

  #contradiction(parts: SchemaParts, depth: number): Nothing | undefined {
    if (parts.some(({ not }) => not === true || (isObject(not) && Object.keys(not).length === 0))) {
      return nothing("not refuses every value");
    }
    const listed = this.#listed(parts);
    if (listed !== undefined) return listed;
    const kinds = kindsOf(parts);
    if (kinds.size === 0) return nothing("its types exclude one another");
    let why: Nothing | undefined;
    for (const kind of kinds) {
      const found = this.#ofKind(kind, parts, depth);
      if (found === undefined) {
        why = undefined;
        break;
      }
      why ??= found;
    }
    return why ?? this.#branches(parts, depth);
  }

  /** Returns a contradiction if the schemas list values of which none is allowed. */
  #listed(parts: SchemaParts): Nothing | undefined {
    const lists = parts.flatMap((part) => {
      if (Object.hasOwn(part, "const")) return [[part["const"]]];
      return Array.isArray(part["enum"]) && part["enum"].length <= MAX_LISTED ? [part["enum"]] : [];
    });
    const [first, ...others] = lists;
    if (first === undefined) return undefined;
    if (first.length === 0) return nothing("its enum is empty");
    const types = kindsOf(
      parts
        .map((part) => ({ type: part["type"] }))
        .filter(({ type }) => type !== undefined) as SchemaParts,
    );
    const ofType = first.filter((value) => types.has(kindOf(value)));
    if (ofType.length === 0) return nothing("none of the values that it lists has its type");
    const texts = others.map((list) => new Set(list.map((value) => JSON.stringify(value))));
    // Objects are equal whatever the order of their members, so only other values are compared.
    const isScalar = (value: unknown): boolean => typeof value !== "object" || value === null;
    const common = ofType.filter(
      (value) => !isScalar(value) || texts.every((set) => set.has(JSON.stringify(value))),
    );
    if (common.length === 0) return nothing("the values that it lists exclude one another");
    const scalars = common.filter(isScalar);
    if (scalars.length < common.length) return undefined;
    const bounds = parts.flatMap((part) => boundsOnly(part) ?? []);
    const isWithin = (value: unknown): boolean =>
      bounds.every((schema) => schema.validate(value).valid);
    return !scalars.some(isWithin)
      ? nothing("none of the values that it lists is within its bounds")
      : undefined;
  }

  #ofKind(kind: Kind, parts: SchemaParts, depth: number): Nothing | undefined {
    switch (kind) {
      case "integer":
      case "fraction":
        return this.#number(parts, kind);
      case "string":
        return sizes(parts, "minLength", "maxLength");
      case "array":
        return sizes(parts, "minItems", "maxItems") ?? this.#items(parts, depth);
      case "object":
        return sizes(parts, "minProperties", "maxProperties") ?? this.#members(parts, depth);
      default:
        return undefined;
    }
  }

  #number(parts: SchemaParts, kind: Kind): Nothing | undefined {
    const own: ReadonlySet<Kind> = new Set([kind]);
    const [low, high] = [lowerBound(parts, own), upperBound(parts, own)];
    return low.value > high.value || (low.value === high.value && (low.isOpen || high.isOpen))
      ? nothing("its lowest number is above its highest")
      : undefined;
  }

  #items(parts: SchemaParts, depth: number): Nothing | undefined {
    const [least] = sizeBounds(parts, "minItems", "maxItems");
    for (let at = 0; at < Math.min(least, 16); at += 1) {
      const schemas = parts.flatMap(({ prefixItems, items }) => {
        const first = arrayOrEmpty(prefixItems);
        if (at < first.length) return [first[at]];
        return items === undefined || Array.isArray(items) ? [] : [items];
      });
      if (this.none(schemas, depth - 1) !== undefined) {
        return nothing("it needs an item, and nothing can be one", !schemas.includes(false));
      }
    }
    return undefined;
  }

  #members(parts: SchemaParts, depth: number): Nothing | undefined {
    const required = requiredBy(parts);
    const nameSchemas = required.size === 0 ? [] : parts.map(ofNames);
    for (const name of required) {
      const quoted = JSON.stringify(name.length > 80 ? `${name.slice(0, 80)}…` : name);
      const schemas: unknown[] = [];
      for (const [at, part] of parts.entries()) {
        const own = ofMember(part, name);
        if (own === undefined) return undefined;
        if (own.includes(false)) return nothing(`${quoted} is required and forbidden at once`);
        schemas.push(...own);
        if (nameSchemas[at]?.validate(name).outcome === "violation") {
          return nothing(`${quoted} is required, and propertyNames refuses the name`);
        }
      }
      const inner = this.none(schemas, depth - 1);
      if (inner?.endless === true) return nothing(`${quoted} is required: ${ENDLESS}`);
      if (inner !== undefined) {
        return nothing(`${quoted} is required, and nothing can be its value`, true);
      }
    }
    const [least] = sizeBounds(parts, "minProperties", "maxProperties");
    for (const { additionalProperties, properties, patternProperties } of parts) {
      const isClosed = additionalProperties === false && patternProperties === undefined;
      const most = Object.keys(objectOrEmpty(properties)).length;
      if (isClosed && most < least)
        return nothing(`it needs ${least} members, and declares ${most}`);
    }
    return undefined;
  }

  /** Returns a contradiction in the alternatives of schemas. */
  #branches(parts: SchemaParts, depth: number): Nothing | undefined {
    for (const { anyOf, oneOf } of parts) {
      for (const [keyword, branches] of [
        ["anyOf", anyOf],
        ["oneOf", oneOf],
      ] as const) {
        if (!Array.isArray(branches) || branches.length === 0 || branches.length > 256) continue;
        if (
          branches.every((branch) => this.none([...parts.map(withoutBranches), branch], depth - 1))
        ) {
          return nothing(`no branch of ${keyword} can be satisfied here`);
        }
      }
      if (Array.isArray(oneOf) && oneOf.length > 1 && this.#haveTwins(oneOf)) {
        return nothing("each branch of oneOf is there twice, so no value satisfies exactly one");
      }
    }
    return undefined;
  }

  /** Returns whether each branch occurs at least twice. The result is cached, because schemas are visited often. */
  #haveTwins(branches: readonly unknown[]): boolean {
    const known = this.#twins.get(branches);
    if (known !== undefined) return known;
    const counts = new Map<string, number>();
    for (const branch of branches) {
      const text = JSON.stringify(branch);
      counts.set(text, (counts.get(text) ?? 0) + 1);
    }
    const areTwins = [...counts.values()].every((count) => count > 1);
    this.#twins.set(branches, areTwins);
    return areTwins;
  }
}

/** Returns whether a schema requires nothing beyond the schema to which it refers. */
function isReference(part: JsonObject): boolean {
  return Object.keys(part).every((name) => ["$ref", "title", "description"].includes(name));
}

const withoutBranches = ({ anyOf: _, oneOf: __, ...part }: JsonObject): JsonObject => part;

/** Compiles the bounds of a schema that scalar values must be within. */
function boundsOnly(part: JsonObject): ReturnType<typeof compileDeclared> | undefined {
  const names = [
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "minLength",
    "maxLength",
    "pattern",
  ];
  const value = Object.fromEntries(
    Object.entries(part).filter(
      ([name, held]) => names.includes(name) && typeof held !== "boolean",
    ),
  );
  return Object.keys(value).length === 0 ? undefined : compileDeclared({ value });
}

function sizes(parts: SchemaParts, least: string, most: string): Nothing | undefined {
  const [low, high] = sizeBounds(parts, least, most);
  return low > high ? nothing(`its ${least} is above its ${most}`) : undefined;
}

/** Whether a schema has no references, so that it can be applied alone. */
function isPlain(schema: JsonObject): boolean {
  const text = JSON.stringify(schema);
  return text.length < 4_096 && !mayHaveReference(text);
}

/** Compiles what a schema requires of the names of members; undefined if that is nothing, or cannot be applied alone. */
function ofNames({ propertyNames }: JsonObject): CompiledSchema | undefined {
  return isObject(propertyNames) && isPlain(propertyNames)
    ? compileDeclared({ value: propertyNames })
    : undefined;
}

/** Returns the schema that applies to a member; undefined if that is not known. */
function ofMember(part: JsonObject, name: string): readonly unknown[] | undefined {
  const { properties, patternProperties, additionalProperties } = part;
  const schemas: unknown[] = [];
  if (Object.hasOwn(objectOrEmpty(properties), name)) schemas.push(objectOrEmpty(properties)[name]);
  for (const [pattern, held] of Object.entries(objectOrEmpty(patternProperties))) {
    try {
      if (compilePattern(pattern).test(name)) schemas.push(held);
    } catch {
      return undefined;
    }
  }
  if (schemas.length === 0 && additionalProperties !== undefined)
    schemas.push(additionalProperties);
  return schemas;
}

/** Keywords in which a schema that accepts nothing may be intended. */
const MEANT = /\/(?:not|if|dependentSchemas|\$defs|definitions)(?:\/|$)/;

/**
 * Finds schemas that nothing satisfies, and objects of which only `{}` does: that is usual for a tool without
 * parameters, and a mistake elsewhere.
 */
export function* satisfiableFindings(
  places: readonly Subschema[],
  top: JsonObject,
  path: string,
): Generator<UnassignedFinding, void, void> {
  const contradictions = new ContradictionFinder(top);
  for (const { schema, path: at, around } of places) {
    const inside = at.slice(path.length);
    if (MEANT.test(inside)) continue;
    const found = contradictions.none([schema]);
    // Skips schemas whose contradiction is inside a schema with its own finding, and those that another rule reports
    // because they require what they forbid.
    if (found !== undefined && (!found.follows || inside === "")) {
      const isBranch = around !== undefined;
      yield {
        path: at,
        rule: "never-satisfied",
        severity: isBranch ? "warning" : "error",
        message: `nothing can satisfy this${isBranch ? " branch" : ""}: ${found.why}`,
        fix: "Take out what contradicts the rest; until then every value here is refused.",
      };
    } else if (
      found === undefined &&
      inside !== "" &&
      around === undefined &&
      contradictions.onlyEmpty(schema)
    ) {
      yield {
        path: at,
        rule: "only-empty",
        severity: "warning",
        message: "only {} can satisfy this: it declares no property and allows no other",
        fix: "Declare its properties, or leave additionalProperties: false out.",
      };
    }
  }
  if (contradictions.isCut) {
    yield {
      path,
      rule: "not-examined",
      severity: "info",
      message: "the schema is too large to look for contradictions everywhere",
      fix: "Split the tool, or share subschemas.",
    };
  }
}
