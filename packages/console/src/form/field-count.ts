import { fragmentTokens, valueAt } from "@touchstone/core";
import { isObject, type Members } from "../json/object.ts";

/** How many fields a form may have: more are drawn too slowly, and filled in by nobody. */
export const MAX_FIELDS = 500;

/** What a JSON Pointer in a URI fragment (RFC 6901, section 6) leads to. */
export function followRef(root: unknown, ref: string): unknown {
  const tokens = fragmentTokens(ref);
  return tokens === undefined ? undefined : valueAt(root, tokens)?.value;
}

function* childrenOf(schema: Members): Generator<unknown> {
  const { properties, items, additionalProperties, dependencies } = schema;
  yield* isObject(properties) ? Object.values(properties) : [];
  yield* isObject(dependencies) ? Object.values(dependencies) : [];
  yield* Array.isArray(items) ? items : [items];
  yield additionalProperties;
  for (const keyword of ["oneOf", "anyOf", "allOf"]) {
    const branches = schema[keyword];
    yield* Array.isArray(branches) ? branches : [];
  }
  for (const keyword of ["if", "then", "else", "additionalItems"]) yield schema[keyword];
}

/**
 * How many fields a form has where each reference is opened, up to one more than {@link MAX_FIELDS}.
 * A schema of a few lines may have billions.
 * @param root with references of the form `#/a/b` only; one back to a schema around it ends there
 */
export function countFields(root: Members): number {
  let count = 0;
  const visit = (schema: unknown, around: ReadonlySet<unknown>): void => {
    if (!isObject(schema) || around.has(schema) || count > MAX_FIELDS) return;
    count++;
    const inside = new Set(around).add(schema);
    const ref = schema["$ref"];
    if (typeof ref === "string") visit(followRef(root, ref), inside);
    for (const child of childrenOf(schema)) visit(child, inside);
  };
  visit(root, new Set());
  return count;
}
