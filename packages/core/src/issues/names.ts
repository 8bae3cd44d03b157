import { isObject } from "../json/object.ts";
import { alwaysApplied, everApplied } from "../schema/graph/literals.ts";
import type { SchemaNode } from "../schema/graph/node.ts";
import type { SchemaError } from "../schema/interpret/context.ts";
import type { Effort } from "./effort.ts";
import { Candidates } from "./nearest.ts";

/** Undeclared names of one object that are compared with the declared ones. */
const MAX_UNKNOWN = 50;
/** What making ready to compare one pair of names costs, in cells. */
const PAIR = 200;

/**
 * The schemas whose declared names an error is about: of an additional property only those of the schema
 * itself, of an unevaluated one also those of schemas that apply in some cases.
 */
function declaring({ node, params }: SchemaError): readonly SchemaNode[] {
  if (params["additionalProperty"] !== undefined) return [node];
  return params["unevaluatedProperty"] === undefined ? alwaysApplied(node) : everApplied(node);
}

/** The names that the schemas declare that an error is about. */
function declaredNames(error: SchemaError): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { properties } of declaring(error)) {
    for (const name of properties?.keys() ?? []) names.add(name);
  }
  return names;
}

/** The names of an object beside those that its schema declares. */
export class ObjectNames {
  /** The declared names that the object does not have. */
  readonly unused: readonly string[];
  /** The first 50 names that the object has and the schema does not declare. */
  readonly unknown: readonly string[];
  readonly #effort: Effort;
  readonly #nearest: Map<string, string | undefined> = new Map();
  #candidates: Candidates | undefined;
  #declared: ReadonlySet<string> | undefined;

  /** @param error about the object or one of its members */
  constructor(error: SchemaError, effort: Effort) {
    const object: object = isObject(error.data) ? error.data : {};
    const declared = declaredNames(error);
    this.unused = [...declared].filter((name) => !Object.hasOwn(object, name));
    const unknown: string[] = [];
    for (const name of Object.keys(object)) {
      if (unknown.length === MAX_UNKNOWN) break;
      if (!declared.has(name)) unknown.push(name);
    }
    this.unknown = unknown;
    this.#effort = effort;
  }

  /** The unused name nearest to another one. */
  nearestTo(name: string): string | undefined {
    if (this.#nearest.has(name)) return this.#nearest.get(name);
    this.#candidates ??= new Candidates(this.unused);
    const near = this.#candidates.nearest(name, this.#effort);
    this.#nearest.set(name, near);
    return near;
  }

  /** The unknown name that is most likely meant to be `name`, which is missing, declared or not. */
  spellingOf(name: string): string | undefined {
    this.#declared ??= new Set(this.unused);
    if (this.#declared.has(name)) {
      return this.unknown.find((other) => this.nearestTo(other) === name);
    }
    return this.unknown.find((other) => {
      if (!this.#effort.compare(PAIR)) return false;
      const near = this.nearestTo(other);
      const both = near === undefined ? [name] : [name, near];
      return new Candidates(both).nearest(other, this.#effort) === name;
    });
  }
}
