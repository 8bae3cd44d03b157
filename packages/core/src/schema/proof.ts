import { costPerPlace } from "./graph/cost.ts";
import type { SchemaGraph, SchemaPattern } from "./graph/node.ts";
import { countProperties } from "./pattern/parse.ts";
import { KEPT, type NativeProof, NOT_PROVEN, proveNative } from "./pattern/pattern.ts";

/**
 * Keywords, as {@link WorkProof.bytesFor} counts them, times bytes up to which a check is over in time,
 * whatever the value: by Ajv, and by the interpreter. It needs no deadline then, which on a busy machine
 * would end good checks as well.
 */
export const PROVEN_WORK = { verdict: 2_000_000, interpreter: 200_000 } as const;

/** Up to so many characters of patterns, what is found out about them takes no time worth bounding. */
const FEW_CHARACTERS = 512;

function patternsOf({ nodes }: SchemaGraph): ReadonlySet<string> {
  const sources = nodes.flatMap(({ pattern, patternProperties = [] }) => [
    ...(pattern === undefined ? [] : [pattern.source]),
    ...patternProperties.map(([{ source }]) => source),
  ]);
  return new Set(sources);
}

/** Whether a schema may have more patterns than are kept compiled for all schemas together. */
export function hasManyPatterns({ nodes }: SchemaGraph): boolean {
  let count = 0;
  let characters = 0;
  const add = ({ source }: SchemaPattern): void => {
    count += 1;
    characters += source.length;
  };
  for (const { pattern, patternProperties = [] } of nodes) {
    if (pattern !== undefined) add(pattern);
    for (const [each] of patternProperties) add(each);
  }
  return count > KEPT.patterns || characters > KEPT.characters;
}

/** Elementary operations of matching that take no longer than a keyword does. */
const OPERATIONS_PER_KEYWORD = 8;

/** Whether it is quick to find out about the patterns of a schema. */
function hasFewPatterns(graph: SchemaGraph): boolean {
  let length = 0;
  for (const source of patternsOf(graph)) {
    length += source.length;
    if (length > FEW_CHARACTERS || countProperties(source) > 0) return false;
  }
  return true;
}

/**
 * What bounds the work that a schema's checks take. Each part is found out when it is first asked for,
 * and kept.
 */
export class WorkProof {
  readonly #graph: SchemaGraph;
  readonly #deadline: boolean;
  #cost: number | undefined;
  #patterns: NativeProof | undefined;
  #quick: boolean | undefined;

  /** @param options whether checks have a deadline, so that finding out may be put off */
  constructor(graph: SchemaGraph, { deadline }: { readonly deadline: boolean }) {
    this.#graph = graph;
    this.#deadline = deadline;
  }

  /** Keywords that are evaluated for each place of a value at most; infinite without such a bound. */
  get cost(): number {
    this.#cost ??= costPerPlace(this.#graph);
    return this.#cost;
  }

  /**
   * Whether nothing in the schema can take longer than its length suggests: the number of keywords
   * for each place is bounded, and every pattern is proven to be linear. Such a schema runs without
   * the deadline on values that are small for it. Where finding out takes time, that is done once,
   * in what a first check leaves of its own, and is false until then.
   */
  get holds(): boolean {
    if (this.#patterns === undefined) {
      this.#quick ??= !this.#deadline || hasFewPatterns(this.#graph);
      if (!this.#quick) return false;
    }
    return this.find().longest > 0;
  }

  /** Finds out about the patterns, which takes time; stays without a proof where it is cut off. */
  find(): NativeProof {
    if (this.#patterns === undefined) {
      this.#patterns = NOT_PROVEN;
      if (Number.isFinite(this.cost)) this.#patterns = proveNative(patternsOf(this.#graph));
    }
    return this.#patterns;
  }

  /**
   * Bytes up to which a check does so much work at most, whatever the value; only where it
   * {@link holds}.
   * @param work keywords, as in {@link PROVEN_WORK}
   */
  bytesFor(work: number): number {
    const patterns = this.find();
    const perByte = Math.max(1, patterns.work / OPERATIONS_PER_KEYWORD) * this.cost;
    return Math.min(patterns.longest, work / perByte);
  }
}
