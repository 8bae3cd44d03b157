import { describeProgramObject, isObject } from "@touchstone/core/advanced";
import { InvalidSchemaError, type Side } from "./errors.ts";
import type { ContractOptions } from "./options.ts";

/**
 * Rejects a tool without a schema if nothing else could be checked. Its author may have misspelled the schema's name.
 * @throws InvalidSchemaError if there is none, unless `lenient`, or `raw` for arguments
 */
export function requireSchema(
  schema: unknown,
  side: Side,
  { name = "tool", lenient, raw }: ContractOptions & { readonly name?: string },
): void {
  if (schema !== undefined && schema !== null) return;
  if (lenient === true || (side === "input" && raw === true)) return;
  const message = `it is ${schema}, which would accept everything`;
  throw new InvalidSchemaError(name, side, [{ code: "not_a_schema", message, path: "" }]);
}

/**
 * Returns the schema of a tool's arguments, with `type: "object"` if its author left that open: no `type`, a `type`
 * that lists others beside `"object"`, or a boolean schema. Any other schema is returned as it is, and so is anything
 * that cannot be a schema.
 */
export function asObjectSchema(schema: unknown): unknown {
  if (schema === true) return { type: "object" };
  if (schema === false) return { type: "object", not: {} };
  // A copy of a promise, for example, would be `{}`, and with a `type` it would be a schema that accepts every object.
  if (!isObject(schema) || describeProgramObject(schema) !== undefined) return schema;
  const { type } = schema;
  const isOpen = type === undefined || (Array.isArray(type) && type.includes("object"));
  return isOpen ? { ...schema, type: "object" } : schema;
}

/** Names that SDKs, providers and MCP use for the schema of a tool's arguments. */
const NAMES = ["inputSchema", "input_schema", "parameters", "schema"];

/** Describes a value that is given as a schema but is not an object. */
function describeOther(schema: unknown, definition: object): string {
  if (schema === undefined || schema === null) {
    const other = NAMES.find((name) => isObject(Reflect.get(definition, name)));
    const where = other === undefined ? "missing" : `given as "${other}"`;
    return `it is ${where}: pass it as "inputSchema"`;
  }
  if (typeof schema === "string") return "it is a string: pass the result of JSON.parse";
  return Array.isArray(schema) ? "it is an array" : `it is a ${typeof schema}`;
}

/**
 * {@link asObjectSchema}, for an SDK that sends the schema to a model's provider.
 * @param definition of the tool, which may hold its schema under another name
 * @throws InvalidSchemaError if the schema allows no object
 */
export function requireObjectSchema(
  tool: string,
  schema: unknown,
  definition: object = {},
): Readonly<Record<string, unknown>> & { readonly type: "object" } {
  const other = describeProgramObject(schema);
  if (other !== undefined) {
    throw new InvalidSchemaError(tool, "input", [
      { code: "not_a_schema", message: other, path: "" },
    ]);
  }
  const whole = asObjectSchema(schema);
  if (isObject(whole) && whole["type"] === "object") return { ...whole, type: "object" };
  const message = isObject(whole)
    ? "the arguments of a tool are an object, and this type does not allow one"
    : `${describeOther(schema, definition)}; the schema of a tool's arguments is an object with \`type: "object"\``;
  const path = isObject(whole) ? "/type" : "";
  throw new InvalidSchemaError(tool, "input", [{ code: "not_a_schema", message, path }]);
}
