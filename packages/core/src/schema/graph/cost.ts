import { components } from "./components.ts";
import { below, inPlace } from "./edges.ts";
import type { SchemaGraph, SchemaNode } from "./node.ts";

/** Counts beyond this are as good as infinite. */
const CEILING = 1e12;
/** Steps that the analysis itself may take; a schema that asks for more is not bounded. */
const MAX_STEPS = 100_000;
/** How often schemas that pile up level by level can meet on one place: the usual limit on depth. */
const LEVELS = 64;

/**
 * The most that a check can cost for each place of an instance, in keywords evaluated, whatever the
 * instance; infinite where no such bound holds, since a schema leads back to itself on the same
 * place, or applies twice to places below its own and so doubles with the depth.
 *
 * A bound, not an estimate: branches are taken to be all evaluated and patterns to match all names.
 */
export function costPerPlace(graph: SchemaGraph): number {
  const here = weightsInPlace(graph);
  if (here === undefined) return Number.POSITIVE_INFINITY;
  const kinds = new Array<readonly Begun[]>(graph.nodes.length).fill(NOTHING_BEGUN);
  // Those alone with which the judging of a place begins: a reference to them is no beginning.
  const beginning = new Set([graph.root.id]);
  let steps = 0;
  for (const id of beginning) {
    const counts = here.closure(id, MAX_STEPS - steps);
    if (counts === undefined) return Number.POSITIVE_INFINITY;
    const begun = begunBelow(counts, graph.nodes);
    kinds[id] = begun;
    steps += counts.size;
    for (const kind of begun) {
      steps += kind.size;
      if (steps > MAX_STEPS) return Number.POSITIVE_INFINITY;
      for (const target of kind.keys()) beginning.add(target);
    }
  }
  return costBelow(graph, here.weight, kinds);
}

/** Keywords of a node itself, and the entries that they go through. */
function ownWeight(node: SchemaNode): number {
  // Telling items apart costs a key for each of them, as long as its text.
  const unique = node.uniqueItems === true ? 64 : 0;
  let weight = 4 + unique + (node.properties?.size ?? 0) + (node.dependentSchemas?.size ?? 0);
  weight += (node.required?.length ?? 0) + (node.enum?.length ?? 0) + (node.type?.length ?? 0);
  weight += (node.patternProperties?.length ?? 0) + (node.prefixItems?.length ?? 0);
  if (node.dependentRequired !== undefined) {
    for (const names of node.dependentRequired.values()) weight += 1 + names.length;
  }
  return weight;
}

const NO_IDS: readonly number[] = [];

interface InPlace {
  /** By node: the keywords evaluated on the place where it applies. */
  readonly weight: Float64Array;
  /** By node: which nodes are evaluated on its place, and how many times; bounded in steps. */
  readonly closure: (id: number, maxSteps: number) => ReadonlyMap<number, number> | undefined;
}

function weightsInPlace({ nodes }: SchemaGraph): InPlace | undefined {
  const targets = nodes.map((node) => {
    const applied = inPlace(node);
    return applied.length === 0 ? NO_IDS : applied.map(({ id }) => id);
  });
  const order = components(nodes.length, (id) => targets[id] ?? []);
  const weight = new Float64Array(nodes.length);
  for (const component of order) {
    const [id] = component;
    const node = id === undefined ? undefined : nodes[id];
    if (id === undefined || node === undefined) continue;
    const own = targets[id] ?? [];
    if (component.length > 1 || own.includes(id)) return undefined;
    weight[id] = own.reduce((sum, target) => sum + (weight[target] ?? 0), ownWeight(node));
    if ((weight[id] ?? 0) > CEILING) return undefined;
  }
  // In this order a node comes before all that it leads to, so that one walk adds up its paths.
  const rank = new Int32Array(nodes.length);
  order.forEach(([id], i) => {
    if (id !== undefined) rank[id] = -i;
  });
  return { weight, closure: (id, max) => pathCounts(id, targets, rank, max) };
}

function pathCounts(
  start: number,
  targets: readonly (readonly number[])[],
  rank: Int32Array,
  maxSteps: number,
): ReadonlyMap<number, number> | undefined {
  if (targets[start]?.length === 0) return new Map([[start, 1]]);
  const reached = new Set([start]);
  for (const id of reached) {
    if (reached.size > maxSteps) return undefined;
    for (const target of targets[id] ?? []) reached.add(target);
  }
  const counts = new Map([[start, 1]]);
  for (const id of [...reached].sort((a, b) => (rank[a] ?? 0) - (rank[b] ?? 0))) {
    const count = counts.get(id) ?? 0;
    for (const target of targets[id] ?? []) counts.set(target, (counts.get(target) ?? 0) + count);
  }
  return counts;
}

/** Which nodes begin on one place below a node's, and how many times. */
type Begun = Map<number, number>;
const NOTHING_BEGUN: readonly Begun[] = [];

function add(begun: Begun, nodes: Iterable<SchemaNode>, times: number): void {
  for (const { id } of nodes) begun.set(id, (begun.get(id) ?? 0) + times);
}

/** For each kind of place below a node's: what begins there. Kinds that may coincide are joined. */
function begunBelow(counts: ReadonlyMap<number, number>, nodes: readonly SchemaNode[]): Begun[] {
  const anyProperty: Begun = new Map();
  const anyItem: Begun = new Map();
  const names: Begun = new Map();
  const byName = new Map<string, Begun>();
  const byIndex = new Map<number, Begun>();
  for (const [id, times] of counts) {
    const node = nodes[id];
    if (node === undefined) continue;
    const children = below(node);
    add(anyProperty, children.anyProperty, times);
    add(anyItem, children.anyItem, times);
    add(names, children.names, times);
    for (const [name, schema] of children.properties) addTo(byName, name, schema, times);
    children.prefixItems.forEach((schema, i) => {
      addTo(byIndex, i, schema, times);
    });
  }
  const withAll = (kinds: Iterable<Begun>, all: Begun): Begun[] =>
    [...kinds].map((begun) => merged(begun, all));
  return [
    ...withAll(byName.values(), anyProperty),
    ...withAll(byIndex.values(), anyItem),
    anyProperty,
    anyItem,
    names,
  ].filter((begun) => begun.size > 0);
}

function addTo<K>(kinds: Map<K, Begun>, key: K, schema: SchemaNode, times: number): void {
  const begun = kinds.get(key) ?? new Map<number, number>();
  add(begun, [schema], times);
  kinds.set(key, begun);
}

function merged(a: Begun, b: Begun): Begun {
  const sum = new Map(a);
  for (const [id, times] of b) sum.set(id, (sum.get(id) ?? 0) + times);
  return sum;
}

/** Joins what happens on places below one another, from the deepest up. */
function costBelow(
  { nodes, root }: SchemaGraph,
  weight: Float64Array,
  kinds: readonly (readonly Begun[])[],
): number {
  const targets = kinds.map((begun) =>
    begun.length === 0 ? NO_IDS : new Set(begun.flatMap((kind) => [...kind.keys()])),
  );
  const order = components(nodes.length, (id) => targets[id] ?? []);
  const of = new Int32Array(nodes.length);
  order.forEach((component, i) => {
    for (const id of component) of[id] = i;
  });
  const cost = new Float64Array(order.length);
  order.forEach((component, own) => {
    const heaviest = component.reduce((most, id) => Math.max(most, weight[id] ?? 0), 0);
    let most = heaviest;
    const [only = 0] = component;
    const all =
      component.length === 1 ? kinds[only] : component.flatMap((id) => kinds[id] ?? NOTHING_BEGUN);
    for (const kind of all ?? NOTHING_BEGUN) {
      const { inside, outside } = split(kind, own, of, cost);
      // Two of a cycle on one place are four a level deeper.
      if (inside > 1) most = Number.POSITIVE_INFINITY;
      most = Math.max(most, inside > 0 ? heaviest + outside * LEVELS : outside);
    }
    cost[own] = most > CEILING ? Number.POSITIVE_INFINITY : most;
  });
  return cost[of[root.id] ?? 0] ?? Number.POSITIVE_INFINITY;
}

function split(kind: Begun, own: number, of: Int32Array, cost: Float64Array) {
  let inside = 0;
  let outside = 0;
  for (const [id, times] of kind) {
    const component = of[id] ?? 0;
    if (component === own) inside += times;
    else outside += times * (cost[component] ?? 0);
  }
  return { inside, outside };
}
