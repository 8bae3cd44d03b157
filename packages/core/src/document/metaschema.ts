import type { SchemaError } from "../engine/context.ts";
import { issuesOf } from "../engine/engine.ts";
import { isPattern } from "../engine/pattern/pattern.ts";
import type { Decimals } from "../json/exact.ts";
import { type Dialect, metaschemaUri } from "../keywords/dialect.ts";
import type { SchemaGraph } from "../keywords/node.ts";
import { buildGraph } from "./build.ts";
import { messageOf, type SchemaFault } from "./fault.ts";
import { OFFICIAL_DOCUMENTS } from "./metaschemas.ts";

const MAX_DETAILS = 20;

const graphs = new Map<Dialect, SchemaGraph>();

/** The canonical graph of a dialect's metaschema, built when it is first needed. */
function metaschemaGraph(dialect: Dialect): SchemaGraph {
  const known = graphs.get(dialect);
  if (known !== undefined) return known;
  const document = OFFICIAL_DOCUMENTS.document(metaschemaUri(dialect));
  if (document === undefined) throw new Error(`no metaschema for ${dialect}`);
  const options = { formats: false, formatOf: () => undefined, isPattern };
  const graph = buildGraph(document, options);
  graphs.set(dialect, graph);
  return graph;
}

function describe({ message, params }: SchemaError): string {
  const { allowedValues } = params as { readonly allowedValues?: readonly unknown[] };
  return allowedValues === undefined
    ? message
    : `${message}: ${allowedValues.map((value) => JSON.stringify(value)).join(", ")}`;
}

/**
 * Checks a schema against its dialect's metaschema; formats are not looked at. Never throws.
 * @param decimals the exact values of its numbers that are no doubles: 1e-400 is above 0
 * @returns the first place where it breaks the metaschema, with every place in `details` (at most
 * 20), or nothing.
 */
export function checkMetaschema(
  schema: unknown,
  dialect: Dialect,
  decimals: Decimals,
): SchemaFault | undefined {
  try {
    const graph = metaschemaGraph(dialect);
    // A metaschema applies a few keywords to each place: the size of the schema bounds the work.
    const found = issuesOf(graph, schema, decimals, MAX_DETAILS);
    return found && faultOf(found.errors, found.total, dialect);
  } catch (thrown) {
    const message = `the schema could not be checked against the ${dialect} metaschema: ${messageOf(thrown)}`;
    return { code: "uncompilable", message, path: "" };
  }
}

function faultOf(errors: readonly SchemaError[], total: number, dialect: Dialect): SchemaFault {
  const details = errors.map((error): SchemaFault => {
    return { code: "metaschema", message: describe(error), path: error.instancePath };
  });
  const [first] = details;
  const path = first?.path ?? "";
  const where = path === "" ? "the schema" : path;
  const more = total > 1 ? ` (and ${total - 1} more)` : "";
  const message = `not valid JSON Schema ${dialect}: ${where} ${first?.message ?? "is invalid"}${more}`;
  return { code: "metaschema", message, path, details };
}
