import type { SchemaGraph } from "./graph/node.ts";
import { areNative } from "./pattern/pattern.ts";

/**
 * Keywords times bytes up to which a check is over in time, whatever the value: by Ajv, and by the
 * interpreter. It needs no deadline then, which on a busy machine would end good checks as well.
 */
export const PROVEN_WORK = { verdict: 2_000_000, interpreter: 200_000 } as const;

/** Whether every pattern of a schema is proven to be linear. */
export function patternsAreLinear({ nodes }: SchemaGraph): boolean {
  const sources = nodes.flatMap(({ pattern, patternProperties = [] }) => [
    ...(pattern === undefined ? [] : [pattern.source]),
    ...patternProperties.map(([{ source }]) => source),
  ]);
  return areNative(new Set(sources));
}
