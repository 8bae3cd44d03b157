import {
  type CompiledSchema,
  compileDeclared,
  isObject,
  type JsonObject,
  joinPointer,
  valueAt,
} from "@touchstone/core/advanced";
import { BoundedWork } from "../bounded-work.ts";
import { SCHEMA_KEYWORDS, SCHEMA_MAP_KEYWORDS } from "../keywords.ts";
import { arrayOrEmpty, objectOrEmpty, type SchemaParts } from "./schema-parts.ts";

/** How many parts may be compiled to check the values that another schema lists. */
const MAX_COMPILED = 100;
/** To compare the text of two parts is faster than to compare what they accept, so it counts as less than a step. */
const STEP_OF_SAME = 0.1;
/** How many characters of a schema can be compiled in the time of one step. */
const CHARACTERS_PER_STEP = 40;
/** How many steps all tests of names and checks of listed values may take. */
const MAX_WORK = 10_000_000;

/** Returns the RFC 6901 pointer to a schema in a document; undefined if it is not there. */
export function pointerToSchema(document: JsonObject, wanted: JsonObject): string | undefined {
  const waiting: [string, unknown][] = [["", document]];
  const met = new Set<unknown>();
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [pointer, value] = next;
    if (value === wanted) return pointer;
    if (typeof value !== "object" || value === null || met.has(value)) continue;
    met.add(value);
    for (const [name, below] of Object.entries(value)) {
      waiting.push([joinPointer(pointer, name), below]);
    }
  }
  return undefined;
}

/**
 * The schemas of two documents that are compared: the targets of their references, and cached results about each of
 * them.
 */
export class LinkedSchemas {
  /** What a schema's `$ref` leads to. */
  readonly #targets: WeakMap<JsonObject, unknown> = new WeakMap();
  /** The document that contains a schema. */
  readonly #roots: WeakMap<JsonObject, JsonObject> = new WeakMap();
  readonly #ids: WeakMap<object, number> = new WeakMap();
  readonly #compiled: WeakMap<JsonObject, CompiledSchema> = new WeakMap();
  readonly #work: BoundedWork = new BoundedWork(MAX_WORK);
  /** How many steps are left in total, and how many for the current claim. */
  #left: number;
  #now = Number.POSITIVE_INFINITY;
  #asked = 0;
  #lastId = 0;

  /** @param maxSteps how many schemas are compared before {@link step} says that it is enough */
  constructor(documents: readonly JsonObject[], maxSteps: number) {
    this.#left = maxSteps;
    for (const document of documents) this.#link(document);
  }

  #link(root: JsonObject): void {
    const waiting: unknown[] = [root];
    for (let schema = waiting.pop(); schema !== undefined; schema = waiting.pop()) {
      if (!isObject(schema) || this.#roots.has(schema)) continue;
      this.#roots.set(schema, root);
      const { $ref } = schema;
      if (typeof $ref === "string")
        this.#targets.set(schema, valueAt(root, $ref.split("/").slice(1))?.value);
      for (const [keyword, value] of Object.entries(schema)) {
        if (SCHEMA_MAP_KEYWORDS.has(keyword) && isObject(value))
          waiting.push(...Object.values(value));
        else if (SCHEMA_KEYWORDS.has(keyword))
          waiting.push(...(Array.isArray(value) ? value : [value]));
      }
    }
  }

  /** Counts a step, or a part of one. Returns whether any steps are left. */
  step(part = 1): boolean {
    this.#left -= part;
    this.#now -= part;
    return this.#left >= 0 && this.#now >= 0;
  }

  /** Sets a limit on the steps from now on, in addition to the limit on all of them. */
  allow(steps: number): void {
    this.#now = steps;
  }

  /** Returns whether an object is a schema of one of the documents, and not a map of schemas or a value. */
  isSchema(held: JsonObject): boolean {
    return this.#roots.has(held);
  }

  /** Returns what a schema's `$ref` leads to. */
  targetOf(schema: JsonObject): unknown {
    return this.#targets.get(schema);
  }

  idOf(schema: object): number {
    let id = this.#ids.get(schema);
    if (id === undefined) {
      this.#lastId += 1;
      id = this.#lastId;
      this.#ids.set(schema, id);
    }
    return id;
  }

  /** Returns the schemas, those that they refer to and those in their `allOf`; undefined if one of them is `false`. */
  partsOf(schemas: readonly unknown[]): SchemaParts | undefined {
    const parts = new Set<JsonObject>();
    const waiting = [...schemas];
    for (let at = 0; at < waiting.length; at += 1) {
      const schema = waiting[at];
      if (schema === false) return undefined;
      if (!isObject(schema) || parts.has(schema)) continue;
      parts.add(schema);
      if (this.#targets.has(schema)) waiting.push(this.#targets.get(schema));
      waiting.push(...arrayOrEmpty(schema["allOf"]));
    }
    return [...parts];
  }

  /** Returns all schemas that may apply to the same value as the given ones, including those of alternatives. */
  inPlace(schemas: readonly unknown[]): readonly JsonObject[] {
    const found = new Set<JsonObject>();
    const waiting = [...schemas];
    for (let at = 0; at < waiting.length; at += 1) {
      const schema = waiting[at];
      if (!isObject(schema) || found.has(schema)) continue;
      found.add(schema);
      const { allOf, anyOf, oneOf, dependentSchemas } = schema;
      if (this.#targets.has(schema)) waiting.push(this.#targets.get(schema));
      waiting.push(...arrayOrEmpty(allOf), ...arrayOrEmpty(anyOf), ...arrayOrEmpty(oneOf));
      waiting.push(...Object.values(objectOrEmpty(dependentSchemas)));
      waiting.push(schema["if"], schema["then"], schema["else"]);
    }
    return [...found];
  }

  /** Returns whether schemas describe a member, by its name or as one of all others. */
  speaksOf(schemas: readonly JsonObject[], name: string): boolean {
    return schemas.some((schema) => {
      const { properties, patternProperties, additionalProperties, unevaluatedProperties } = schema;
      return (
        (additionalProperties ?? unevaluatedProperties) !== undefined ||
        Object.hasOwn(objectOrEmpty(properties), name) ||
        Object.keys(objectOrEmpty(patternProperties)).some(
          (source) => this.matches(source, name) !== false,
        )
      );
    });
  }

  /** Returns whether two schemas differ at most in the names of their `$defs`. */
  isSame(one: unknown, other: unknown, met: Set<string>): boolean {
    if (one === other) return true;
    if (!this.step(STEP_OF_SAME)) return false;
    if (Array.isArray(one) && Array.isArray(other)) {
      return (
        one.length === other.length && one.every((item, at) => this.isSame(item, other[at], met))
      );
    }
    if (!isObject(one) || !isObject(other)) return false;
    const key = `${this.idOf(one)}=${this.idOf(other)}`;
    if (met.has(key)) return true;
    met.add(key);
    const [left, right] = [this.#targets.get(one), this.#targets.get(other)];
    if (left !== undefined || right !== undefined) {
      return this.isSame(left ?? one, right ?? other, met);
    }
    const names = (of: JsonObject): string[] =>
      Object.keys(of).filter(
        (name) => !this.#roots.has(of) || !["$defs", "$schema"].includes(name),
      );
    const [mine, theirs] = [names(one), names(other)];
    return (
      mine.length === theirs.length &&
      mine.every((name) => Object.hasOwn(other, name) && this.isSame(one[name], other[name], met))
    );
  }

  /**
   * Returns the compiled form of a schema, for checking values; undefined if too many were compiled, or the schema
   * cannot be used.
   */
  compile(schema: JsonObject): CompiledSchema | undefined {
    const known = this.#compiled.get(schema);
    if (known !== undefined) return known;
    this.#asked += 1;
    if (this.#asked > MAX_COMPILED) return undefined;
    const { $defs } = this.#roots.get(schema) ?? {};
    const text = JSON.stringify(schema);
    const refers = $defs !== undefined && text.includes('"$ref"');
    const { length } = refers ? JSON.stringify($defs) : text;
    this.#now -= length / CHARACTERS_PER_STEP;
    if (this.#now < 0) return undefined;
    const compiled = compileDeclared({ value: { ...schema, ...(refers ? { $defs } : {}) } });
    if (compiled.error !== undefined) return undefined;
    this.#compiled.set(schema, compiled);
    return compiled;
  }

  /** Returns the parts, but removes some keywords from one of them. */
  without(parts: SchemaParts, part: JsonObject, keywords: readonly string[]): SchemaParts {
    // References and `allOf` are removed from all parts: they would bring the keywords back, and their targets are
    // among the parts anyway.
    return parts.map((each) =>
      this.#reduced(each, ["$ref", "allOf", ...(each === part ? keywords : [])]),
    );
  }

  /**
   * Returns a schema without some keywords, and without `unevaluated*`, which depend on what other keywords evaluated.
   */
  #reduced(part: JsonObject, keywords: readonly string[]): JsonObject {
    if (!keywords.some((keyword) => part[keyword] !== undefined)) return part;
    const left = Object.entries(part).filter(
      ([name]) => !keywords.includes(name) && !name.startsWith("unevaluated"),
    );
    const reduced = Object.fromEntries(left);
    const root = this.#roots.get(part);
    if (root !== undefined) this.#roots.set(reduced, root);
    return reduced;
  }

  /** Returns whether a schema accepts a value; undefined if that takes too long. */
  accepts(schema: CompiledSchema, value: unknown): boolean | undefined {
    return this.#work.accepts(schema, value);
  }

  /** Returns whether a name matches a pattern; undefined if that cannot be decided. */
  matches(source: string, name: string): boolean | undefined {
    return this.#work.matches(source, name);
  }

  /** Returns the schemas that a schema may apply to a member. */
  memberOf(schema: JsonObject, name: string): readonly unknown[] {
    const { properties, patternProperties, additionalProperties, unevaluatedProperties } = schema;
    const own = objectOrEmpty(properties);
    const found = Object.hasOwn(own, name) ? [own[name]] : [];
    for (const [source, below] of Object.entries(objectOrEmpty(patternProperties))) {
      if (this.matches(source, name) !== false) found.push(below);
    }
    return found.length > 0 ? found : [additionalProperties, unevaluatedProperties];
  }

  /** Returns the schemas that the parts apply to a member. */
  member(parts: SchemaParts, name: string): readonly unknown[] {
    return parts.flatMap((part) => {
      const { properties, patternProperties, additionalProperties } = part;
      const own = objectOrEmpty(properties);
      const found = Object.hasOwn(own, name) ? [own[name]] : [];
      const matching = Object.entries(objectOrEmpty(patternProperties)).map(
        ([source, schema]) => [this.matches(source, name), schema] as const,
      );
      found.push(...matching.filter(([is]) => is === true).map(([, schema]) => schema));
      // A pattern that cannot be tested may match. In that case the member is not an additional one.
      const isOther = found.length === 0 && matching.every(([is]) => is === false);
      return isOther && additionalProperties !== undefined ? [additionalProperties] : found;
    });
  }
}
