import type { SchemaGraph, SchemaPattern } from "./graph/node.ts";
import { countProperties } from "./pattern/parse.ts";
import { KEPT, type NativeProof, proveNative } from "./pattern/pattern.ts";

/**
 * Keywords, as {@link bytesFor} counts them, times bytes up to which a check is over in time,
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

/** What is known of the patterns of a schema. */
export function provePatterns(graph: SchemaGraph): NativeProof {
  return proveNative(patternsOf(graph));
}

/** Elementary operations of matching that take no longer than a keyword does. */
const OPERATIONS_PER_KEYWORD = 8;

/**
 * Bytes up to which a check does so much work at most, whatever the value.
 * @param work keywords, as in {@link PROVEN_WORK}
 * @param cost keywords that are evaluated for each place of a value at most
 */
export function bytesFor(work: number, cost: number, patterns: NativeProof): number {
  const perByte = Math.max(1, patterns.work / OPERATIONS_PER_KEYWORD) * cost;
  return Math.min(patterns.longest, work / perByte);
}

/** Whether {@link provePatterns} is quick. */
export function hasFewPatterns(graph: SchemaGraph): boolean {
  let length = 0;
  for (const source of patternsOf(graph)) {
    length += source.length;
    if (length > FEW_CHARACTERS || countProperties(source) > 0) return false;
  }
  return true;
}
