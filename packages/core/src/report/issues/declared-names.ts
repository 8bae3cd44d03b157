import type { KeywordError } from "../../engine/context.ts";
import { isObject } from "../../json/value.ts";
import { REGISTRY } from "../../keywords/index.ts";
import { alwaysApplied, possiblyApplied } from "../../keywords/literals.ts";
import type { SchemaNode } from "../../keywords/node.ts";
import { Candidates, isNearest, type SuggestionBudget } from "./nearest.ts";

/** Maximum number of undeclared names of one object that are compared with the declared ones. */
const MAX_UNKNOWN = 50;
/** Cost, in cells, of preparing a name for comparisons. */
const READYING = 10;

/**
 * Returns the schemas whose declared names an error is about: for an additional property, only the schema itself; for
 * an unevaluated one, also schemas that apply only in some cases.
 */
function declaring({ node, params }: KeywordError): readonly SchemaNode[] {
  if (params["additionalProperty"] !== undefined) return [node];
  return params["unevaluatedProperty"] === undefined ? alwaysApplied(node) : possiblyApplied(node);
}

/** Returns the declared names that an error is about. */
export function declaredNames(error: KeywordError): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { properties } of declaring(error)) {
    for (const name of properties?.keys() ?? []) names.add(name);
  }
  return names;
}

/** Returns the names that the schema of an error may require. */
function askedNames({ node }: KeywordError): readonly string[] {
  return REGISTRY.flatMap(({ explain }) => [...(explain?.names?.(node) ?? [])]);
}

const NONE: ReadonlySet<string> = new Set();

/** Compares the names of an object with those that its schema declares. */
export class ObjectNames {
  /** The declared names that the object does not have; empty if the effort is spent. */
  readonly unused: readonly string[];
  /** The first 50 names that the object has and the schema does not declare; empty if the effort is spent. */
  readonly unknown: readonly string[];
  readonly #error: KeywordError;
  readonly #object: object;
  readonly #effort: SuggestionBudget;
  readonly #nearest: Map<string, string | undefined> = new Map();
  readonly #meant: Map<string, string | undefined> = new Map();
  #candidates: Candidates | undefined;
  #missing: Candidates | undefined;
  #declared: ReadonlySet<string> | undefined;
  #wantedNames: readonly string[] | undefined;

  /**
   * @param error an error about the object or one of its members
   * @param known its {@link declaredNames}
   */
  constructor(error: KeywordError, known: ReadonlySet<string>, effort: SuggestionBudget) {
    const object: object = isObject(error.data) ? error.data : {};
    const left = effort.compare(known.size);
    const declared = left ? known : NONE;
    this.unused = [...declared].filter((name) => !Object.hasOwn(object, name));
    const unknown: string[] = [];
    for (const name of left ? Object.keys(object) : []) {
      if (unknown.length === MAX_UNKNOWN) break;
      if (!declared.has(name)) unknown.push(name);
    }
    this.unknown = unknown;
    this.#error = error;
    this.#object = object;
    this.#effort = effort;
  }

  /** Returns the unused name nearest to a name. */
  nearestTo(name: string): string | undefined {
    if (this.#nearest.has(name)) return this.#nearest.get(name);
    this.#candidates ??= this.#candidatesOf(this.unused);
    const near = this.#candidates.nearest(name, this.#effort);
    this.#nearest.set(name, near);
    return near;
  }

  /** The names that are missing or unused. */
  get #wanted(): readonly string[] {
    if (this.#wantedNames === undefined) {
      const asked = askedNames(this.#error).filter((name) => !Object.hasOwn(this.#object, name));
      this.#wantedNames = [...new Set([...asked, ...this.unused])];
    }
    return this.#wantedNames;
  }

  /**
   * Returns whether `near` is nearer to a name than every other missing or unused name; false if the effort is spent.
   */
  isOnlyNear(name: string, near: string): boolean {
    const others = this.#wanted.filter((other) => other !== near);
    return isNearest(name, near, others, this.#effort);
  }

  /**
   * Returns the unknown name that was most likely meant as `name`, a missing name that may or may not be declared. An
   * unknown name counts as a misspelling of the nearest wanted name only.
   */
  spellingOf(name: string): string | undefined {
    this.#declared ??= new Set(this.unused);
    return this.#declared.has(name)
      ? this.unknown.find((other) => this.nearestTo(other) === name)
      : this.unknown.find((other) => this.#meantBy(other) === name);
  }

  /** Returns the missing or unused name that is nearest to a name. */
  #meantBy(name: string): string | undefined {
    if (this.#meant.has(name)) return this.#meant.get(name);
    this.#missing ??= this.#candidatesOf(this.#wanted);
    const meant = this.#missing.nearest(name, this.#effort);
    this.#meant.set(name, meant);
    return meant;
  }

  #candidatesOf(names: Iterable<string>): Candidates {
    const all = [...names];
    return new Candidates(this.#effort.compare(all.length * READYING) ? all : []);
  }
}
