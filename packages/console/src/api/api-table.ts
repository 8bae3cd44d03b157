import { isObject, type JsonObject } from "../json/object.ts";

/**
 * What the console needs to know about the gateway's operations: where to send each request, and what to rely on in
 * its response.
 */
export interface ApiTable {
  readonly operations: Readonly<Record<string, ApiOperation>>;
  /** The schemas to which those of responses refer, by their names. */
  readonly components: JsonObject;
}

interface ApiOperation {
  readonly method: string;
  readonly path: string;
  /** The schema of a JSON response; undefined for other responses. */
  readonly response: JsonObject | undefined;
}

/** An operation of the gateway's API; only the members that the console uses. */
interface DeclaredOperation {
  readonly method: string;
  readonly path: string;
  readonly responses: { readonly 200: object };
}

/**
 * What pages rely on in a response: its members and their types. Further members, and further values of an
 * enumeration, do not break a page, so that it works with a newer gateway.
 */
const RELIED_ON: ReadonlySet<string> = new Set([
  ...["$ref", "type", "const", "required", "properties", "additionalProperties", "items"],
  ...["anyOf", "oneOf"],
]);

/** Returns what pages rely on in a schema. */
export function requiredSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(requiredSchema);
  if (!isObject(schema)) return schema;
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([keyword, value]) => RELIED_ON.has(keyword) && value !== false)
      .map(([keyword, value]) => [
        keyword,
        keyword === "properties" ? byName(value as JsonObject) : requiredSchema(value),
      ]),
  );
}

const byName = (schemas: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, requiredSchema(schema)]),
  );

/** Returns what the console needs of the gateway's operations and of the schemas to which they refer. */
export function apiTable(
  operations: Readonly<Record<string, DeclaredOperation>>,
  schemas: JsonObject,
): ApiTable {
  const rows = Object.entries(operations).map(([id, { method, path, responses }]) => {
    const { content } = responses[200] as {
      readonly content: Readonly<Record<string, { readonly schema: unknown }>>;
    };
    const response = requiredSchema(content["application/json"]?.schema) as JsonObject | undefined;
    return [id, { method, path, response }] as const;
  });
  return { operations: Object.fromEntries(rows), components: byName(schemas) };
}
