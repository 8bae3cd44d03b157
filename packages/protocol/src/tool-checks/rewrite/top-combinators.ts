import { isObject, type JsonObject } from "@touchstone/core/advanced";
import { acceptsKeyword } from "../lint/providers/accepted-keywords.ts";
import type { Provider } from "../lint/providers/provider.ts";
import { referenceTarget } from "./inline-references.ts";
import { distinctValues } from "./loosen.ts";
import { withoutKeywords } from "./map-schemas.ts";

/** How many references are followed in a row. */
const MAX_LINKS = 10;

function isRefused(keyword: string, provider: Provider): boolean {
  if (!acceptsKeyword(provider, keyword, true)) return true;
  return keyword === "anyOf" && provider.places["any-of-alone"] !== undefined;
}

/**
 * Removes `oneOf`, `anyOf` and `allOf` from the top, where a provider refuses them. The properties of all branches are
 * declared at the top instead. A property is required if every alternative requires it, or if any part of `allOf` does.
 */
export function flattenTop(whole: JsonObject, provider: Provider): JsonObject {
  let made = whole;
  for (const keyword of ["allOf", "oneOf", "anyOf"] as const) {
    const list = made[keyword];
    if (!Array.isArray(list) || !isRefused(keyword, provider)) continue;
    const branches = list.flatMap((branch) => objectsOf(whole, branch));
    made = keyword === "allOf" ? withAll(made, branches) : withSome(made, keyword, branches);
  }
  return made;
}

/** Returns the object schemas in a branch: itself, or those to which it refers. */
function objectsOf(whole: JsonObject, branch: unknown): readonly JsonObject[] {
  let schema = branch;
  for (let links = 0; isObject(schema) && typeof schema["$ref"] === "string"; links += 1) {
    if (links === MAX_LINKS) return [];
    schema = referenceTarget(whole, schema["$ref"]);
  }
  if (!isObject(schema)) return [];
  const { type } = schema;
  const admits = type === undefined || (Array.isArray(type) ? type : [type]).includes("object");
  return admits ? [schema] : [];
}

const namesOf = (held: unknown): readonly unknown[] => (Array.isArray(held) ? held : []);

/**
 * Returns a schema that declares the properties of all branches. If several branches declare a property, each of their
 * schemas is allowed.
 */
function withProperties(schema: JsonObject, branches: readonly JsonObject[]): JsonObject {
  const own = isObject(schema["properties"]) ? schema["properties"] : {};
  const found = new Map<string, unknown[]>();
  for (const { properties } of branches) {
    if (!isObject(properties)) continue;
    for (const [name, held] of Object.entries(properties)) {
      if (Object.hasOwn(own, name)) continue;
      const known = found.get(name);
      if (known === undefined) found.set(name, [held]);
      else known.push(held);
    }
  }
  const declared = [...found].map(([name, held]): [string, unknown] => {
    const schemas = distinctValues(held);
    return [name, schemas.length === 1 ? schemas[0] : { anyOf: schemas }];
  });
  if (declared.length === 0) return schema;
  return { ...schema, properties: { ...own, ...Object.fromEntries(declared) } };
}

function requiring(schema: JsonObject, names: readonly unknown[]): JsonObject {
  const all = new Set([...namesOf(schema["required"]), ...names]);
  return all.size === 0 ? schema : { ...schema, required: [...all] };
}

/** Returns a schema that is closed if all branches are closed, since it then declares everything that they allow. */
function openIfNeeded(schema: JsonObject, branches: readonly JsonObject[]): JsonObject {
  const isClosed =
    branches.length > 0 && branches.every((each) => each["additionalProperties"] === false);
  if (isClosed && !Object.hasOwn(schema, "patternProperties")) {
    return { ...schema, additionalProperties: false };
  }
  return schema;
}

function withSome(
  schema: JsonObject,
  keyword: string,
  branches: readonly JsonObject[],
): JsonObject {
  const [first, ...others] = branches;
  const common = namesOf(first?.["required"]).filter((name) =>
    others.every((other) => namesOf(other["required"]).includes(name)),
  );
  const rest = withoutKeywords(schema, [keyword]);
  return openIfNeeded(requiring(withProperties(rest, branches), common), branches);
}

function withAll(schema: JsonObject, branches: readonly JsonObject[]): JsonObject {
  const required = branches.flatMap((each) => namesOf(each["required"]));
  return requiring(withProperties(withoutKeywords(schema, ["allOf"]), branches), required);
}
