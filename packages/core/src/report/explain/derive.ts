import { unescapePointer } from "../../json/pointer.ts";
import { inPlace, namesOf, nodesBelow } from "../../keywords/edges.ts";
import type { SchemaNode } from "../../keywords/node.ts";

/** Edges of the graph that are followed, over all questions, before no more is told. */
const MAX_VISITS = 200_000;

type Nodes = ReadonlySet<SchemaNode>;

/**
 * Tells which nodes of a schema's graph may judge a place of the value, when one node judges a place
 * above it.
 */
export class Derivation {
  #visits = MAX_VISITS;
  readonly #known: Map<SchemaNode, Map<string, Nodes>> = new Map();

  /** Whether the work is used up; every answer is empty from then on. */
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
      const below = nodesBelow(node, token);
      this.#visits -= below.length;
      next.push(...below);
    }
    return this.#closure(next);
  }

  /**
   * The nodes that may judge what `pointer` leads to, from the value that `node` judges.
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

  /** As {@link nodesAt}, for the names of the members there. */
  namesAt(node: SchemaNode, pointer: string): Nodes {
    const names = [...this.nodesAt(node, pointer)].flatMap(namesOf);
    return this.#closure(names);
  }
}
