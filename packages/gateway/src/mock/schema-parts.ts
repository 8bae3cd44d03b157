import { fragmentTokens, isObject, type JsonObject, valueAt } from "@touchstone/core/advanced";

/** How many schemas are read for one place. */
const MAX_SCHEMAS = 200;

/**
 * Returns the parts of a canonical schema that apply to the value at a place, as far as they are easy to find: through
 * references, composites, `properties`, `additionalProperties` and items.
 * @param tokens the way to the value
 */
export function schemasAt(root: JsonObject, tokens: readonly string[]): readonly JsonObject[] {
  let level = whole(root, [root]);
  for (const token of tokens) {
    level = whole(
      root,
      level.flatMap((schema) => below(schema, token)),
    );
  }
  return level;
}

/** Returns schemas with those that they refer to or consist of. */
function whole(root: JsonObject, schemas: readonly unknown[]): readonly JsonObject[] {
  const found = new Set<JsonObject>();
  const waiting = [...schemas];
  for (let at = 0; at < waiting.length && found.size < MAX_SCHEMAS; at += 1) {
    const schema = waiting[at];
    if (!isObject(schema) || found.has(schema)) continue;
    found.add(schema);
    const { $ref, allOf, anyOf, oneOf } = schema;
    const tokens = typeof $ref === "string" ? fragmentTokens($ref) : undefined;
    if (tokens !== undefined) waiting.push(valueAt(root, tokens)?.value);
    for (const parts of [allOf, anyOf, oneOf]) {
      if (Array.isArray(parts)) waiting.push(...parts.slice(0, MAX_SCHEMAS));
    }
  }
  return [...found];
}

function below(schema: JsonObject, token: string): readonly unknown[] {
  const { properties, additionalProperties, prefixItems, items } = schema;
  const found: unknown[] = [];
  if (isObject(properties) && Object.hasOwn(properties, token)) found.push(properties[token]);
  else found.push(additionalProperties);
  if (/^\d+$/.test(token)) {
    found.push(Array.isArray(prefixItems) ? (prefixItems[Number(token)] ?? items) : items);
  }
  return found;
}
