import { COUNTS } from "./assertions.ts";
import { type Json, setOwn } from "./json.ts";
import type { SchemaNode } from "./node.ts";

const PROTO = "__proto__";

const PLAIN = [...COUNTS, "maxContains", "minContains"] as const;

const NUMBERS = [
  "multipleOf",
  "maximum",
  "exclusiveMaximum",
  "minimum",
  "exclusiveMinimum",
] as const;

/** Writes the keywords of a node that hold no schema. */
export function emitAssertions(node: SchemaNode, into: Json): void {
  const { type, required, dependentRequired } = node;
  if (type !== undefined) into["type"] = type.length === 1 ? type[0] : [...type];
  // Ajv refuses an empty "enum" (which nothing satisfies) and an empty "type" alike.
  if (node.enum?.length === 0 || type?.length === 0) into["not"] = {};
  if (type?.length === 0) delete into["type"];
  if (node.enum !== undefined && node.enum.length > 0) {
    into["enum"] = node.enum.map(({ value }) => value);
  }
  if (node.const !== undefined) into["const"] = node.const.value;
  for (const keyword of PLAIN) if (node[keyword] !== undefined) into[keyword] = node[keyword];
  for (const keyword of NUMBERS) {
    const number = node[keyword];
    if (number !== undefined) into[keyword] = number.value;
  }
  if (node.uniqueItems === true) into["uniqueItems"] = true;
  if (node.pattern !== undefined) into["pattern"] = node.pattern.source;
  if (node.format !== undefined) into["format"] = node.format;
  if (required !== undefined && required.length > 0) into["required"] = [...required];
  if (dependentRequired === undefined) return;
  const lists: Json = {};
  for (const [name, names] of dependentRequired) setOwn(lists, name, [...names]);
  into["dependentRequired"] = lists;
}

/** A pattern that matches the same and is not among those that stand there already. */
function unused(patterns: Json, pattern: string): string {
  let name = pattern;
  while (name === PROTO || Object.hasOwn(patterns, name)) name = `(?:${name})`;
  return name;
}

/**
 * Writes `properties` and `patternProperties`. Ajv skips a member `__proto__` of either, so that it
 * becomes a pattern that matches the same.
 */
export function emitProperties(
  properties: Iterable<readonly [name: string, schema: unknown]>,
  patterns: Iterable<readonly [source: string, schema: unknown]>,
  into: Json,
): void {
  const named: Json = {};
  const patterned: Json = {};
  for (const [source, schema] of patterns) patterned[unused(patterned, source)] = schema;
  for (const [name, schema] of properties) {
    if (name === PROTO) patterned[unused(patterned, `^${PROTO}$`)] = schema;
    else named[name] = schema;
  }
  if (Object.keys(named).length > 0) into["properties"] = named;
  if (Object.keys(patterned).length > 0) into["patternProperties"] = patterned;
}
