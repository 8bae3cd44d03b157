import type { SchemaError } from "../../engine/context.ts";
import { pointerTokens } from "../../json/pointer.ts";
import { alwaysApplied } from "../../keywords/literals.ts";
import type { SchemaNode } from "../../keywords/node.ts";

/** Schemas of one place that are looked at. */
const MAX_NODES = 64;

const INDEX = /^\d+$/;

/** The schema that a node has for a member or an item, whatever else there is; undefined where that depends. */
function nodeBelow(node: SchemaNode, token: string): SchemaNode | undefined {
  const { properties, patternProperties, additionalProperties, prefixItems, items } = node;
  const declared = properties?.get(token);
  if (declared !== undefined) return declared;
  const item = INDEX.test(token) ? (prefixItems?.[Number(token)] ?? items) : undefined;
  return item ?? (patternProperties === undefined ? additionalProperties : undefined);
}

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
    const below = nodes.map((node) => nodeBelow(node, token)).filter((node) => node !== undefined);
    nodes = below.flatMap(alwaysApplied).slice(0, MAX_NODES);
  }
  return nodes.some(({ required }) => required?.includes(name));
}
