import type { SchemaGraph } from "./graph/node.ts";
import { countProperties } from "./pattern/parse.ts";
import { proveNative } from "./pattern/pattern.ts";

/**
 * Keywords, as {@link provePatterns} counts them, times bytes up to which a check is over in time,
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

/** Elementary operations of matching that take no longer than a keyword does. */
const OPERATIONS_PER_KEYWORD = 8;

/** How long it takes at most to match the strings of a value. */
export interface PatternProof {
  /** How many keywords the worst of the patterns is worth at each byte: 1 where they are simple. */
  readonly perByte: number;
  /** Bytes of a value up to which that holds; 0 where it is not proven for all patterns. */
  readonly most: number;
}

export const NOT_PROVEN: PatternProof = { perByte: Number.POSITIVE_INFINITY, most: 0 };

/** What is known of the patterns of a schema. */
export function provePatterns(graph: SchemaGraph): PatternProof {
  const { work, longest } = proveNative(patternsOf(graph));
  return { perByte: Math.max(1, work / OPERATIONS_PER_KEYWORD), most: longest };
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
