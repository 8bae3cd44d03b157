import { type Issue, joinPointer } from "@touchstone/core";
import { foldedName } from "./tools.ts";

/** Parts of a schema to read for one value; a schema with references may have no end. */
const MAX_STEPS = 100_000;
const MAX_DEPTH = 128;

/** Keywords with one schema, and with a list of schemas, for the same value. */
const SAME = ["not", "if", "then", "else"] as const;
const SAME_LISTS = ["allOf", "anyOf", "oneOf"] as const;
/** Keywords with a schema for each item of an array. */
const ITEMS = ["items", "contains", "additionalItems", "unevaluatedItems"] as const;

type Json = Readonly<Record<string, unknown>>;

/** A value, and all schemas that apply to it. */
interface Place {
  readonly value: unknown;
  readonly schemas: readonly unknown[];
  readonly path: string;
  readonly depth: number;
}

/**
 * Finds an argument whose name is nearly one that the schema of `narrow` has at the same place, such as `Path` instead
 * of `path`, or `file_path` instead of `filePath`. Servers that ignore case (Go's `encoding/json` does) or underscores
 * take it for the other one, and `narrow` would not have checked it.
 * @returns undefined if there is none
 */
export function nearArgument(schema: unknown, value: unknown): Issue | undefined {
  const places: Place[] = [{ value, schemas: [schema], path: "", depth: 0 }];
  let steps = 0;
  for (let place = places.pop(); place !== undefined; place = places.pop()) {
    const { value, path, depth } = place;
    if (typeof value !== "object" || value === null) continue;
    const schemas = sameSchemas(schema, place.schemas);
    steps += schemas.length + (Array.isArray(value) ? 0 : Object.keys(value).length);
    if (steps > MAX_STEPS || depth > MAX_DEPTH) {
      return issue(
        path,
        "must have fewer parts: their names cannot be compared with those of the policy",
      );
    }
    if (Array.isArray(value)) {
      const items = schemas.flatMap((one) => ITEMS.flatMap((keyword) => own(one, keyword) ?? []));
      const prefix = schemas.flatMap((one) => listOf(own(one, "prefixItems")));
      const all = [...items.flat(), ...prefix];
      if (all.length === 0) continue;
      for (const [at, item] of value.entries()) {
        if (typeof item !== "object" || item === null) continue;
        places.push({
          value: item,
          schemas: all,
          path: joinPointer(path, String(at)),
          depth: depth + 1,
        });
      }
      continue;
    }
    const names = new Set(schemas.flatMap(namesIn));
    const folded = new Map([...names].map((name) => [asRead(name), name]));
    for (const [key, member] of Object.entries(value)) {
      const near = names.has(key) ? undefined : folded.get(asRead(key));
      if (near !== undefined) {
        const message = `must be removed or renamed to "${near}": some servers take one for the other`;
        return issue(joinPointer(path, key), message);
      }
      const below = schemas.flatMap((one) => schemasOf(one, key));
      if (below.length === 0) continue;
      places.push({
        ...{ value: member, schemas: below, path: joinPointer(path, key) },
        depth: depth + 1,
      });
    }
  }
  return undefined;
}

function issue(path: string, message: string): Issue {
  return { path, message, rule: "policy", keyword: "narrow" };
}

/** Returns a name as servers may read it. Models of Python may also take a name for the one without underscores. */
const asRead = (name: string): string => foldedName(name).replaceAll("_", "");

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const own = (schema: Json, keyword: string): unknown =>
  Object.hasOwn(schema, keyword) ? schema[keyword] : undefined;

/** Returns schemas and those in them that apply to the same value, each once. */
function sameSchemas(root: unknown, schemas: readonly unknown[]): readonly Json[] {
  const found = new Set<Json>();
  const open = [...schemas];
  while (open.length > 0) {
    const schema = open.pop();
    if (!isObject(schema) || found.has(schema)) continue;
    found.add(schema);
    open.push(...SAME.map((keyword) => own(schema, keyword)));
    open.push(...SAME_LISTS.flatMap((keyword) => listOf(own(schema, keyword))));
    const dependent = own(schema, "dependentSchemas");
    if (isObject(dependent)) open.push(...Object.values(dependent));
    open.push(referred(root, own(schema, "$ref")));
  }
  return [...found];
}

/** Returns the schema that a reference inside of the same schema names. */
function referred(root: unknown, reference: unknown): unknown {
  if (typeof reference !== "string" || !reference.startsWith("#")) return undefined;
  let at: unknown = root;
  for (const token of reference.slice(1).split("/").slice(1)) {
    const key = decoded(token).replaceAll("~1", "/").replaceAll("~0", "~");
    at = Array.isArray(at) ? at[Number(key)] : isObject(at) ? own(at, key) : undefined;
  }
  return at;
}

function decoded(token: string): string {
  try {
    return decodeURIComponent(token);
  } catch {
    return token;
  }
}

/** Returns the names of members that a schema says something about. */
function namesIn(schema: Json): readonly string[] {
  const properties = own(schema, "properties");
  const required = listOf(own(schema, "required")).filter((name) => typeof name === "string");
  const dependent = ["dependentSchemas", "dependentRequired"].flatMap((keyword) => {
    const value = own(schema, keyword);
    return isObject(value) ? Object.keys(value) : [];
  });
  return [...(isObject(properties) ? Object.keys(properties) : []), ...required, ...dependent];
}

/** Returns the schemas for a member. Those for others are among them, which finds no less. */
function schemasOf(schema: Json, key: string): readonly unknown[] {
  const properties = own(schema, "properties");
  const patterns = own(schema, "patternProperties");
  return [
    ...(isObject(properties) ? [own(properties, key)] : []),
    ...(isObject(patterns) ? Object.values(patterns) : []),
    ...["additionalProperties", "unevaluatedProperties"].map((keyword) => own(schema, keyword)),
  ].filter((found) => isObject(found));
}
