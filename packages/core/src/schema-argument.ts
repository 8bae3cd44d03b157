import type { SchemaError } from "./document/fault.ts";
import type { SchemaInput } from "./document/source.ts";
import { isTool } from "./tool-definition.ts";

/** A JSON Schema as a value: an object or a boolean, as `JSON.parse` returns them. */
export type JsonSchema = object | boolean;

/** What {@link readArgument} returns: the schema, marked as a text or a value, or why there is none. */
type ReadArgument = { readonly input: SchemaInput } | { readonly error: SchemaError };

const FORMS = "pass the schema as an object or a boolean, as JSON text, or as its bytes";

function error(message: string): ReadArgument {
  return { error: { code: "not_a_schema", message, path: "" } };
}

/**
 * Reads the argument with which a program passes a schema: a string is JSON text, a `Uint8Array` is JSON text in UTF-8,
 * and anything else is a value. Copies bytes, so that a reused buffer does not change the schema.
 */
export function readArgument(schema: unknown): ReadArgument {
  if (schema === undefined || schema === null) {
    return error(`there is no schema: the argument is ${schema}; ${FORMS}`);
  }
  if (typeof schema === "string") return { input: { text: schema } };
  if (schema instanceof Uint8Array) return { input: { text: schema.slice() } };
  if (isTool(schema)) {
    return error("a tool of tools/list is not a schema; pass its inputSchema or outputSchema");
  }
  return { input: { value: schema } };
}

/** The fault of a text that is `null`, which is not a schema. */
export const NULL_TEXT: SchemaError = {
  code: "not_a_schema",
  message: `the text is null, which is not a schema; ${FORMS}`,
  path: "",
};
