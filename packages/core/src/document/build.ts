import { fragmentTokens, joinPointer } from "../json/pointer.ts";
import type { Dialect } from "../keywords/dialect.ts";
import { certainLoop } from "../keywords/edges.ts";
import { REGISTRY } from "../keywords/index.ts";
import type { NodeDraft, SchemaGraph, SchemaNode } from "../keywords/node.ts";
import type { AdmittedDocument, Documents } from "./admitted.ts";
import { SCHEMA_LIMITS, SchemaFaultError, type SchemaLimits } from "./fault.ts";
import { isJson, tooMany } from "./json.ts";
import { OFFICIAL_DOCUMENTS } from "./metaschemas.ts";
import { RECURSIVE_ANCHOR, type Resource, type SchemaPlace } from "./place.ts";
import { Resolver } from "./resolve.ts";
import { SchemaIndex } from "./schema-index.ts";
import { PlaceReader } from "./schema-reader.ts";
import { DEFAULT_BASE } from "./uri.ts";

/**
 * The targets of dynamic references: for every dynamic anchor, its place in the outermost resource that has it
 * (2020-12 Core, section 7.1). Equal scopes are the same object.
 */
export interface Scope {
  readonly outermost: ReadonlyMap<string, SchemaPlace>;
  readonly entered: Map<Resource, Scope>;
}

/** Makes scopes, and counts their anchors, because a hostile schema multiplies them. */
export class Scopes {
  readonly empty: Scope = { outermost: new Map(), entered: new Map() };
  private readonly known: Map<string, Scope> = new Map();
  private readonly numbers: Map<SchemaPlace, number> = new Map();
  private left: number;
  private readonly refuse: () => Error;

  /** @param refuse makes the error if all scopes together have more than `most` anchors. */
  constructor(most: number, refuse: () => Error) {
    this.left = most;
    this.refuse = refuse;
  }

  /** Returns the scope inside a resource that is entered from `scope`. */
  enter(scope: Scope, resource: Resource): Scope {
    if (resource.dynamicAnchors.size === 0) return scope;
    const known = scope.entered.get(resource);
    if (known !== undefined) return known;
    const made = this.extend(scope, resource);
    scope.entered.set(resource, made);
    // Entering the same resource again returns the same scope.
    made.entered.set(resource, made);
    return made;
  }

  private extend(scope: Scope, resource: Resource): Scope {
    this.left -= scope.outermost.size + resource.dynamicAnchors.size;
    if (this.left < 0) throw this.refuse();
    const outermost = new Map(scope.outermost);
    for (const [anchor, place] of resource.dynamicAnchors) {
      if (!outermost.has(anchor)) outermost.set(anchor, place);
    }
    if (outermost.size === scope.outermost.size) return scope;
    // Each place has only one name in a scope, so the list of places identifies the scope.
    const key = [...outermost.values()]
      .map((place) => this.number(place))
      .sort((a, b) => a - b)
      .join();
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const made: Scope = { outermost, entered: new Map() };
    this.known.set(key, made);
    return made;
  }

  private number(place: SchemaPlace): number {
    const known = this.numbers.get(place);
    if (known !== undefined) return known;
    const next = this.numbers.size;
    this.numbers.set(place, next);
    return next;
  }
}

export interface GraphOptions {
  /** Whether to assert `format`, whatever the metaschema says. */
  readonly formats: boolean;
  /** Returns the name under which a dialect's format is checked; undefined if nothing is asserted. */
  formatOf(name: string, dialect: Dialect): string | undefined;
  isPattern(source: string): boolean;
  /** Most characters of all patterns of the schema. Default: no limit. */
  readonly maxPatternLength?: number;
  /** Where references may lead. Default: the official metaschemas. */
  readonly library?: Documents;
  readonly limits?: SchemaLimits;
}

/** How many anchors all dynamic scopes together may have, for each allowed subschema. */
const ANCHORS_PER_SUBSCHEMA = 16;

/** A node whose origin is computed on first use. */
class PlacedNode {
  readonly id: number;
  readonly #place: SchemaPlace;

  constructor(id: number, place: SchemaPlace) {
    this.id = id;
    this.#place = place;
  }

  get origin(): string {
    return this.#place.origin;
  }
}

class GraphBuilder implements SchemaGraph {
  readonly nodes: NodeDraft[] = [];
  readonly unknownFormats: Map<string, string> = new Map();
  readonly root: SchemaNode;
  lossy = false;
  private readonly options: GraphOptions;
  private readonly limit: number;
  private readonly index: SchemaIndex;
  private readonly resolver: Resolver;
  private readonly scopes: Scopes;
  private readonly made: Map<Scope, Map<SchemaPlace, NodeDraft>> = new Map();
  private readonly patterns: Map<string, boolean> = new Map();
  private patternLength = 0;
  private readonly pending: { node: NodeDraft; place: SchemaPlace; scope: Scope }[] = [];

  constructor(document: AdmittedDocument, options: GraphOptions) {
    const { limits = SCHEMA_LIMITS, library = OFFICIAL_DOCUMENTS } = options;
    this.options = options;
    this.limit = limits.maxSubschemas;
    this.scopes = new Scopes(this.limit * ANCHORS_PER_SUBSCHEMA, () => tooMany(this.limit));
    this.index = new SchemaIndex(library.find, this.limit);
    this.resolver = new Resolver(this.index, library);
    const place = this.index.add(document, "", DEFAULT_BASE);
    this.root = this.nodeFor(place, this.scopes.empty);
    // A work list instead of recursion: a chain of references may be of any length.
    for (let i = 0; i < this.pending.length; i++) {
      const next = this.pending[i];
      if (next !== undefined) this.fill(next.node, next.place, next.scope);
    }
  }

  /** Checks each pattern once, and counts their characters. */
  private readonly isPattern = (source: string): boolean => {
    const known = this.patterns.get(source);
    if (known !== undefined) return known;
    const { maxPatternLength = Number.POSITIVE_INFINITY } = this.options;
    this.patternLength += source.length;
    if (this.patternLength > maxPatternLength) {
      throw new SchemaFaultError(
        "too_large",
        `the patterns of the schema have more than ${maxPatternLength} characters together; shorten them`,
      );
    }
    const valid = this.options.isPattern(source);
    this.patterns.set(source, valid);
    return valid;
  };

  private newNode(place: SchemaPlace): NodeDraft {
    if (this.nodes.length >= this.limit) throw tooMany(this.limit);
    const node: NodeDraft = new PlacedNode(this.nodes.length, place);
    this.nodes.push(node);
    return node;
  }

  /** Returns the node of a schema in a dynamic scope. */
  private nodeFor(place: SchemaPlace, outer: Scope): SchemaNode {
    const scope = this.scopes.enter(outer, place.resource);
    let inScope = this.made.get(scope);
    if (inScope === undefined) {
      inScope = new Map();
      this.made.set(scope, inScope);
    }
    const known = inScope.get(place);
    if (known !== undefined) return known;
    const node = this.newNode(place);
    inScope.set(place, node);
    this.pending.push({ node, place, scope });
    return node;
  }

  private fill(node: NodeDraft, place: SchemaPlace, scope: Scope): void {
    const { schema } = place;
    if (typeof schema === "boolean") {
      node.always = schema;
      return;
    }
    const from = new PlaceReader(place, schema, {
      below: (value, tokens) => {
        const child = isJson(value)
          ? this.index.below(place, tokens, value)
          : place.below(tokens, value);
        return this.nodeFor(child, scope);
      },
      beside: () => this.newNode(place),
      referred: (reference, keyword, isDynamic) =>
        this.referred(reference, keyword, isDynamic, place, scope),
      isPattern: this.isPattern,
      format: (name) => this.format(name, place),
    });
    for (const keyword of REGISTRY) {
      const { name, shape, beside, compile } = keyword;
      if (keyword.read === undefined && from.value(name) === undefined) continue;
      if (beside !== undefined && node[beside] === undefined) continue;
      if (keyword.read !== undefined) keyword.read(node, from);
      else {
        const value = shape.read(from, name);
        if (value !== undefined) Object.assign(node, { [name]: value });
      }
      // Only below a place with exact numbers can there be numbers that do not fit a double. Those in annotations do
      // not matter, because they are not compared.
      if (place.exact === undefined || this.lossy || compile === undefined) continue;
      const value = node[name];
      this.lossy = value !== undefined && shape.isLossy?.(value) === true;
    }
  }

  /** `$dynamicRef` (2020-12 Core, section 8.2.3.2), `$recursiveRef` (2019-09, section 8.2.4.2.1). */
  private referred(
    reference: string,
    keyword: string,
    isDynamic: boolean,
    from: SchemaPlace,
    scope: Scope,
  ): SchemaNode {
    const { place: target, named } = this.resolver.resolve(reference, from, keyword);
    if (!isDynamic) return this.nodeFor(target, scope);
    // The reference is dynamic only if its target, as written, has the dynamic anchor and so may be overridden.
    const { dynamicAnchors } = named?.resource ?? target.resource;
    const name = keyword === "$recursiveRef" ? RECURSIVE_ANCHOR : named?.anchor;
    const isOverridable = name !== undefined && dynamicAnchors.get(name) === target;
    const found = isOverridable ? scope.outermost.get(name) : undefined;
    return this.nodeFor(found ?? target, scope);
  }

  private format(name: string, { resource, pointer }: SchemaPlace): string | undefined {
    const { assertsFormat, dialect } = resource.vocabulary;
    if (!this.options.formats && !assertsFormat) return undefined;
    const known = this.options.formatOf(name, dialect);
    if (known === undefined && resource.document.name === "" && !this.unknownFormats.has(name)) {
      this.unknownFormats.set(name, `${pointer}/format`);
    }
    return known;
  }
}

/**
 * Returns the fault for a reference loop. Its path leads to the schema that closes the loop, if that is in the author's
 * document.
 */
function loopFault({ origin }: SchemaNode): SchemaFaultError {
  const path = (fragmentTokens(origin) ?? []).reduce<string>(joinPointer, "");
  const message =
    "references lead back to the same schema for the same value, so no check by it ends (JSON Schema 2020-12 Core, section 9.4.1)";
  return new SchemaFaultError("reference_loop", message, path);
}

/**
 * Builds the canonical graph of a schema: everything reachable from its root, with references resolved inside the
 * document, the documents of `options.library` and the official metaschemas. Nothing is fetched.
 * @throws SchemaFaultError `unresolved_reference`, `reference_loop`, `invalid_pattern`, `too_many_subschemas`, `too_large`,
 *   `unknown_dialect`, or `metaschema` if a reference leads to something that is not a schema of its dialect.
 */
export function buildGraph(document: AdmittedDocument, options: GraphOptions): SchemaGraph {
  const { root, nodes, lossy, unknownFormats } = new GraphBuilder(document, options);
  const looping = certainLoop(root);
  if (looping !== undefined) throw loopFault(looping);
  return { root, nodes, lossy, unknownFormats };
}
