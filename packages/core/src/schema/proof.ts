import type { SchemaGraph } from "./graph/node.ts";
import { countProperties } from "./pattern/parse.ts";
import { areNative } from "./pattern/pattern.ts";

/**
 * Keywords times bytes up to which a check is over in time, whatever the value: by Ajv, and by the
 * interpreter. It needs no deadline then, which on a busy machine would end good checks as well.
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

/** Whether every pattern of a schema is proven to be linear. */
export function patternsAreLinear(graph: SchemaGraph): boolean {
  return areNative(patternsOf(graph));
}

/** Whether {@link patternsAreLinear} is quickly told. */
export function hasFewPatterns(graph: SchemaGraph): boolean {
  let length = 0;
  for (const source of patternsOf(graph)) {
    length += source.length;
    if (length > FEW_CHARACTERS || countProperties(source) > 0) return false;
  }
  return true;
}
