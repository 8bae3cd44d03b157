import type { SchemaError } from "../../engine/context.ts";
import { pointerTokens } from "../../json/pointer.ts";
import { alwaysApplied, surelyBelow } from "../../keywords/literals.ts";

/** Schemas of one place that are looked at. */
const MAX_NODES = 64;

/**
 * Whether the schema asks for the property that an error is about, whatever the value is: by `required`, there or
 * through references and `allOf`. What is asked for in some cases only is not told.
 */
export function isRequired({ root, instancePath }: SchemaError): boolean {
  const tokens = pointerTokens(instancePath);
  const name = tokens.pop();
  if (name === undefined) return false;
  let nodes = alwaysApplied(root);
  for (const token of tokens) {
    const below = nodes
      .map((node) => surelyBelow(node, token))
      .filter((node) => node !== undefined);
    nodes = below.flatMap(alwaysApplied).slice(0, MAX_NODES);
  }
  return nodes.some(({ required }) => required?.includes(name));
}
