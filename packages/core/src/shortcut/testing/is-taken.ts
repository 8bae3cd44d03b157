import { testContext } from "../../engine/testing/context.ts";
import { isValid } from "../../engine/testing/interpret.ts";
import type { SchemaGraph } from "../../keywords/node.ts";

/**
 * Returns whether the interpreter accepts the value of a text; undefined if it has to follow a schema that refers to
 * itself for the same value, which the scanner may not need to follow.
 */
export function isTaken(graph: SchemaGraph, text: string): boolean | undefined {
  try {
    return isValid(graph, JSON.parse(text), testContext());
  } catch {
    return undefined;
  }
}
