import type { KeywordError } from "../../engine/context.ts";
import { unescapePointer } from "../../json/pointer.ts";
import { childNodes, inPlace, propertyNameNodes } from "../../keywords/edges.ts";
import { explanationOf, keywordNamed } from "../../keywords/index.ts";
import type { SchemaNode } from "../../keywords/node.ts";

/** The errors of a keyword that applies schemas; the list has them before the keyword's own error. */
export interface CompositeErrors {
  /** Index of the first error that belongs to it. */
  readonly start: number;
  /** For each applied schema, the range of its errors: `[start, end)`. */
  readonly branches: readonly Branch[];
}

export interface Branch {
  /** The index of the branch in an `anyOf` or `oneOf`; 0 for other keywords. */
  readonly index: number;
  readonly node: SchemaNode;
  readonly start: number;
  readonly end: number;
}

/** Returns the schemas whose errors a keyword lists before its own. */
function appliedBy({ keyword, node, params }: KeywordError): readonly SchemaNode[] | undefined {
  return explanationOf(keyword).branches?.of(node, params);
}

/** Returns the branches that passed, if a `oneOf` failed because more than one did. */
export function passedBranches({ params }: KeywordError): readonly number[] {
  const passing = params["passingSchemas"];
  return Array.isArray(passing) ? passing.filter((index) => typeof index === "number") : [];
}

/** Following a pointer takes one stack frame per token; the errors of longer ones are not assigned to branches. */
const MAX_POINTER = 2_000;

/**
 * Finds out which errors belong to which branch of which composite. The engine lists the errors of each branch after
 * those of the previous branch, and the composite's own error last. An error belongs to a branch if the branch's
 * schema leads to the node that raised it, at the place where it did, and the branch has not raised it already.
 */
export class CompositeErrorGroups {
  readonly #errors: readonly (KeywordError | undefined)[];
  readonly #derivation: Derivation = new Derivation();
  readonly #piles: Map<number, CompositeErrors> = new Map();

  /** @param errors in the engine's order; undefined for an error that is not known. */
  constructor(errors: readonly (KeywordError | undefined)[]) {
    this.#errors = errors;
    for (let at = 0; at < errors.length; at++) {
      const pile = this.#find(at);
      if (pile !== undefined) this.#piles.set(at, pile);
    }
  }

  /** Returns the pile of the keyword whose error has this index, if it could be determined. */
  at(index: number): CompositeErrors | undefined {
    return this.#piles.get(index);
  }

  #find(at: number): CompositeErrors | undefined {
    const composite = this.#errors[at];
    const nodes = composite === undefined ? undefined : appliedBy(composite);
    if (composite === undefined || nodes === undefined) return undefined;
    const passing = passedBranches(composite);
    // If more than one branch passed, the `oneOf` stopped at the second of them, so later branches were not tried.
    const tried = passing.length > 1 ? Math.max(...passing) : nodes.length;
    const branches: Branch[] = [];
    let end = at;
    for (let index = tried - 1; index >= 0; index--) {
      const node = nodes[index];
      if (node === undefined || passing.includes(index)) continue;
      const start = this.#branchStart(composite, node, end);
      // Every failed branch has raised an error; the items of an empty array have not.
      if (start === end && keywordNamed(composite.keyword)?.where !== "items") return undefined;
      branches.push({ index, node, start, end });
      end = start;
    }
    return { start: end, branches: branches.reverse() };
  }

  /** Returns where the errors of a branch begin, if they end before `end`. */
  #branchStart(composite: KeywordError, branch: SchemaNode, end: number): number {
    const raised = new Set<string>();
    let start = end;
    while (start > 0) {
      const error = this.#errors[start - 1];
      if (error === undefined || !this.#leadsTo(composite, branch, error)) break;
      const { node, keyword, instancePath, propertyName, schemaPath, params } = error;
      const about = params["missingProperty"] ?? params["additionalProperty"];
      const name = about ?? params["unevaluatedProperty"] ?? params["propertyName"];
      const key = JSON.stringify([node.id, keyword, instancePath, propertyName, schemaPath, name]);
      if (raised.has(key)) break;
      raised.add(key);
      // The errors inside a pile belong to the same branch as the pile.
      start = this.#piles.get(start - 1)?.start ?? start - 1;
    }
    return start;
  }

  #leadsTo(composite: KeywordError, branch: SchemaNode, error: KeywordError): boolean {
    const { instancePath, propertyName, node } = error;
    const base = composite.instancePath;
    if (instancePath.length - base.length > MAX_POINTER) return false;
    let pointer = instancePath.slice(base.length);
    if (!instancePath.startsWith(base) || (pointer !== "" && !pointer.startsWith("/")))
      return false;
    const where = keywordNamed(composite.keyword)?.where;
    if (where === "names") {
      const isName = pointer === "" && propertyName === composite.params["propertyName"];
      return isName && this.#derivation.nodesAt(branch, "").has(node);
    }
    if (where === "items") {
      const item = /^\/\d+/.exec(pointer)?.[0];
      if (item === undefined) return false;
      pointer = pointer.slice(item.length);
    }
    const isOfName = propertyName !== undefined && composite.propertyName === undefined;
    return isOfName
      ? this.#derivation.namesAt(branch, pointer).has(node)
      : this.#derivation.nodesAt(branch, pointer).has(node);
  }
}

/** Maximum number of graph edges followed over all queries; after that, nothing more is reported. */
const MAX_VISITS = 200_000;

type Nodes = ReadonlySet<SchemaNode>;

/**
 * Reports which nodes of a schema's graph may check a place of the value, when one node checks a place
 * above it.
 */
class Derivation {
  #visits = MAX_VISITS;
  readonly #known: Map<SchemaNode, Map<string, Nodes>> = new Map();

  /** Whether the budget is used up; every later result is empty. */
  get spent(): boolean {
    return this.#visits <= 0;
  }

  #closure(starts: Iterable<SchemaNode>): Nodes {
    const seen = new Set(starts);
    for (const node of seen) {
      const next = inPlace(node);
      this.#visits -= 1 + next.length;
      if (this.spent) return new Set();
      for (const one of next) seen.add(one);
    }
    return seen;
  }

  #step(nodes: Nodes, token: string): Nodes {
    const next: SchemaNode[] = [];
    for (const node of nodes) {
      const below = childNodes(node, token);
      this.#visits -= below.length;
      next.push(...below);
    }
    return this.#closure(next);
  }

  /**
   * Returns the nodes that may check the value at `pointer`, starting from the value that `node` checks.
   * @param pointer RFC 6901, relative to that value
   */
  nodesAt(node: SchemaNode, pointer: string): Nodes {
    let known = this.#known.get(node);
    if (known === undefined) {
      known = new Map();
      this.#known.set(node, known);
    }
    const before = known.get(pointer);
    if (before !== undefined) return before;
    this.#visits--;
    if (this.spent) return new Set();
    const cut = pointer.lastIndexOf("/");
    const nodes =
      cut < 0
        ? this.#closure([node])
        : this.#step(
            this.nodesAt(node, pointer.slice(0, cut)),
            unescapePointer(pointer.slice(cut + 1)),
          );
    known.set(pointer, nodes);
    return nodes;
  }

  /** Like {@link nodesAt}, for the names of the members there. */
  namesAt(node: SchemaNode, pointer: string): Nodes {
    const names = [...this.nodesAt(node, pointer)].flatMap(propertyNameNodes);
    return this.#closure(names);
  }
}
