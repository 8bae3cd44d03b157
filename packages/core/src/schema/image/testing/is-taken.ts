import type { SchemaGraph } from "../../graph/node.ts";
import { isValid } from "../../interpret/interpret.ts";
import { testContext } from "../../interpret/testing/context.ts";

/**
 * Whether the interpreter takes the value of a text; undefined where it follows a schema that leads to itself in
 * place, which the scanner may have no need to.
 */
export function isTaken(graph: SchemaGraph, text: string): boolean | undefined {
  try {
    return isValid(graph, JSON.parse(text), testContext());
  } catch {
    return undefined;
  }
}
