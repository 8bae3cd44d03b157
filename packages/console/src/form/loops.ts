import { isObject } from "../json/object.ts";
import { followRef } from "./field-count.ts";

type Members = Readonly<Record<string, unknown>>;

/** The schemas that a schema applies to the very same value. */
function inPlace(root: Members, schema: Members): readonly Members[] {
  const { $ref, dependencies } = schema;
  const lists = ["allOf", "anyOf", "oneOf"].map((keyword) => schema[keyword]);
  const parts: readonly unknown[] = [
    typeof $ref === "string" ? followRef(root, $ref) : undefined,
    ...["if", "then", "else"].map((keyword) => schema[keyword]),
    ...(isObject(dependencies) ? Object.values(dependencies) : []),
    ...lists.flatMap((list): readonly unknown[] => (Array.isArray(list) ? list : [])),
  ];
  return parts.filter(isObject);
}

/**
 * Whether somewhere in a schema a reference leads back to where it was met without having gone into a
 * property or an item, as in `{"anyOf": [{"$ref": "#"}]}`. What opens such a schema never ends.
 */
export function hasLoop(root: Members): boolean {
  const open = new Set<Members>();
  const done = new Set<Members>();
  const loops = (schema: Members): boolean => {
    if (done.has(schema)) return false;
    if (open.has(schema)) return true;
    open.add(schema);
    const found = inPlace(root, schema).some(loops);
    open.delete(schema);
    done.add(schema);
    return found;
  };
  const walk = (value: unknown): boolean => {
    if (typeof value !== "object" || value === null) return false;
    if (isObject(value) && loops(value)) return true;
    return Object.values(value).some(walk);
  };
  return walk(root);
}
