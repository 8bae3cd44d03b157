import { testContext } from "../../engine/testing/context.ts";
import { isValid } from "../../engine/testing/interpret.ts";
import type { SchemaGraph } from "../../keywords/node.ts";

/**
 * Whether the interpreter takes the value of a text; undefined if it follows a schema that leads to itself in
 * place, which the scanner may have no need to.
 */
export function isTaken(graph: SchemaGraph, text: string): boolean | undefined {
  try {
    return isValid(graph, JSON.parse(text), testContext());
  } catch {
    return undefined;
  }
}
