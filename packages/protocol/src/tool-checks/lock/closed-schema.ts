import { isObject, type JsonObject } from "@touchstone/core/advanced";

/** Keywords whose value is a schema, or a list of schemas. */
const BELOW = ["items", "additionalProperties", "prefixItems", "allOf", "anyOf", "oneOf"];
/** Keywords whose value has a schema for each name. */
const NAMED = ["properties", "patternProperties", "$defs"];

/**
 * Returns a schema changed to refuse undeclared members wherever another one does. This shows whether the two differ in
 * nothing else.
 * @param schema in canonical form, as the other
 * @returns undefined if that changes nothing
 */
export function closeObjectsLike(schema: JsonObject, other: JsonObject): JsonObject | undefined {
  const closed = close(schema, other);
  return closed === schema || !isObject(closed) ? undefined : closed;
}

function close(schema: unknown, other: unknown): unknown {
  if (Array.isArray(schema) && Array.isArray(other)) {
    const items = schema.map((item, at) => close(item, other[at]));
    return items.some((item, at) => item !== schema[at]) ? items : schema;
  }
  if (!isObject(schema) || !isObject(other)) return schema;
  const changed: [string, unknown][] = [];
  const put = (name: string, before: unknown, after: unknown): void => {
    if (before !== after) changed.push([name, after]);
  };
  for (const name of BELOW) put(name, schema[name], close(schema[name], other[name]));
  for (const name of NAMED) put(name, schema[name], closeEach(schema[name], other[name]));
  if (other["additionalProperties"] === false && isOpen(schema["additionalProperties"])) {
    changed.push(["additionalProperties", false]);
  }
  return changed.length === 0 ? schema : { ...schema, ...Object.fromEntries(changed) };
}

function closeEach(schemas: unknown, others: unknown): unknown {
  if (!isObject(schemas) || !isObject(others)) return schemas;
  const entries = Object.entries(schemas).map(
    ([name, schema]) =>
      [name, Object.hasOwn(others, name) ? close(schema, others[name]) : schema] as const,
  );
  const isSame = entries.every(([name, schema]) => schema === schemas[name]);
  return isSame ? schemas : Object.fromEntries(entries);
}

/** Returns whether members with other names may have any value. */
function isOpen(others: unknown): boolean {
  return (
    others === undefined ||
    others === true ||
    (isObject(others) && Object.keys(others).length === 0)
  );
}
