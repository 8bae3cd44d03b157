import { type CompiledSchema, compileOwn, describeIssue } from "@touchstone/core/advanced";
import type { OperationId } from "@touchstone/gateway/api";
import type { JsonObject } from "../json/object.ts";
import { API_TABLE } from "./declared-table.ts";
import { pathSegment, queryOf } from "./url.ts";

const compiled = new Map<OperationId, CompiledSchema>();

/** Returns the schema of an operation's JSON response, with the schemas to which it refers. */
export function responseSchema(id: OperationId): JsonObject {
  const { operations, components } = API_TABLE;
  return { ...operations[id]?.response, components: { schemas: components } };
}

/**
 * Returns what is wrong with the JSON of an operation's response, as a readable text; undefined if it has what pages
 * rely on.
 */
export function responseProblem(id: OperationId, value: unknown): string | undefined {
  const known = compiled.get(id) ?? compileOwn(responseSchema(id));
  compiled.set(id, known);
  const { valid, errors } = known.validate(value);
  if (valid) return undefined;
  const [issue] = errors;
  return issue === undefined ? "it is too large to be checked" : describeIssue(issue, "the value");
}

function operationOf(id: OperationId) {
  const operation = API_TABLE.operations[id];
  if (operation === undefined) throw new Error(`no operation is named ${id}`);
  return operation;
}

/** Returns the method of an operation. */
export const methodOf = (id: OperationId): string => operationOf(id).method.toUpperCase();

/**
 * Returns the URL of an operation.
 * @param root URL of the gateway, with a trailing slash
 * @param parameters values for its path and its query, by name; an empty value is not sent
 */
export function operationUrl(
  root: string,
  id: OperationId,
  parameters: Readonly<Record<string, string | undefined>>,
): string {
  const rest = new Map(Object.entries(parameters));
  const path = operationOf(id)
    .path.slice(1)
    .replace(/\{(\w+)\}/g, (_, name: string) => {
      const value = rest.get(name) ?? "";
      rest.delete(name);
      return pathSegment(value);
    });
  return root + path + queryOf(Object.fromEntries(rest));
}
