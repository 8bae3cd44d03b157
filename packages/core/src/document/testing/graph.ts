import type { Dialect } from "../../keywords/dialect.ts";
import type { SchemaGraph, SchemaNode } from "../../keywords/node.ts";
import { graphOf } from "../../testing/judges.ts";
import { type SchemaError, SchemaFaultError } from "../fault.ts";

export const D4 = "http://json-schema.org/draft-04/schema#";
export const D7 = "http://json-schema.org/draft-07/schema#";
export const D2019 = "https://json-schema.org/draft/2019-09/schema";
export const D2020 = "https://json-schema.org/draft/2020-12/schema";

/** The graph of a schema, given as a value or as text, with formats. @throws SchemaFaultError */
export function graph(
  schema: unknown,
  documents: Record<string, unknown> = {},
  dialect: Dialect = "2020-12",
): SchemaGraph {
  const text = typeof schema === "string" ? schema : JSON.stringify(schema);
  return graphOf(text, new Map(Object.entries(documents)), dialect, true);
}

/** The fault that building ends with. */
export function faultOf(run: () => unknown): SchemaError | undefined {
  try {
    run();
  } catch (thrown) {
    if (thrown instanceof SchemaFaultError) return thrown.fault;
    throw thrown;
  }
  return undefined;
}

/** The node of a property. */
export const property = (node: SchemaNode | undefined, name: string): SchemaNode | undefined =>
  node?.properties?.get(name);
