import { type CompiledSchema, compileOwn, describeIssue } from "@touchstone/core";
import { COMPONENTS, OPERATIONS, type OperationId } from "@touchstone/gateway/api";
import { isObject, type Members } from "../json/object.ts";
import { queryOf, segment } from "./url.ts";

/**
 * What pages rely on in a response: which members there are, and their types. Further members, and further values of an
 * enumeration, do not break a page, so that it works with a newer gateway.
 */
const RELIED_ON: ReadonlySet<string> = new Set([
  ...["$ref", "type", "const", "required", "properties", "additionalProperties", "items"],
  ...["anyOf", "oneOf"],
]);

/** Returns what pages rely on in a schema. */
export function reliedOn(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(reliedOn);
  if (!isObject(schema)) return schema;
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([keyword, value]) => RELIED_ON.has(keyword) && value !== false)
      .map(([keyword, value]) => [
        keyword,
        keyword === "properties" ? byName(value as Members) : reliedOn(value),
      ]),
  );
}

const byName = (schemas: Members): Members =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, reliedOn(schema)]));

const components = { schemas: byName(COMPONENTS.schemas) };
const compiled = new Map<OperationId, CompiledSchema>();

/** Returns the schema of an operation's JSON response, with the schemas to which it refers. */
export function responseSchema(id: OperationId): Members {
  const { content } = OPERATIONS[id].responses[200] as {
    readonly content: Readonly<Record<string, { readonly schema: unknown }>>;
  };
  return { ...(reliedOn(content["application/json"]?.schema) as Members), components };
}

/** Returns what is wrong with the JSON of an operation's response, for people; undefined if it has what pages rely on. */
export function responseProblem(id: OperationId, value: unknown): string | undefined {
  const known = compiled.get(id) ?? compileOwn(responseSchema(id));
  compiled.set(id, known);
  const { valid, errors } = known.checkValue(value);
  if (valid) return undefined;
  const [issue] = errors;
  return issue === undefined ? "it is too large to be checked" : describeIssue(issue, "the value");
}

/** Returns the method of an operation. */
export const methodOf = (id: OperationId): string => OPERATIONS[id].method.toUpperCase();

/**
 * Returns the URL of an operation.
 * @param root of the gateway, with a trailing slash
 * @param parameters of its path and its query, by name; an empty one is not sent
 */
export function operationUrl(
  root: string,
  id: OperationId,
  parameters: Readonly<Record<string, string | undefined>>,
): string {
  const rest = new Map(Object.entries(parameters));
  const path = OPERATIONS[id].path.slice(1).replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = rest.get(name) ?? "";
    rest.delete(name);
    return segment(value);
  });
  return root + path + queryOf(Object.fromEntries(rest));
}
