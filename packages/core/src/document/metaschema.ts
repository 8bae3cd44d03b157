import type { FailureExplanation } from "../engine/context.ts";
import { issuesOf } from "../engine/engine.ts";
import { isPattern } from "../engine/pattern/pattern.ts";
import type { ExactDecimals } from "../json/exact.ts";
import { metaschemaUri, type OwnDialect, POLICY } from "../keywords/dialect.ts";
import type { SchemaGraph } from "../keywords/node.ts";
import { checkClauses } from "../report/explain/sentence.ts";
import { issueOf } from "../report/issues/issue.ts";
import { buildGraph } from "./build.ts";
import { messageOf, type SchemaError } from "./fault.ts";
import { OFFICIAL_DOCUMENTS, POLICY_METASCHEMA } from "./metaschemas.ts";

const MAX_DETAILS = 20;
/** A metaschema consists of parts, and each of them may report the same place. */
const MAX_ERRORS = 10 * MAX_DETAILS;

const graphs = new Map<OwnDialect, SchemaGraph>();

/** Returns the canonical graph of a dialect's metaschema, built on first use. */
function metaschemaGraph(dialect: OwnDialect): SchemaGraph {
  const known = graphs.get(dialect);
  if (known !== undefined) return known;
  const document =
    dialect === POLICY ? POLICY_METASCHEMA : OFFICIAL_DOCUMENTS.document(metaschemaUri(dialect));
  if (document === undefined) throw new Error(`no metaschema for ${dialect}`);
  const options = { formats: false, formatOf: () => undefined, isPattern };
  const graph = buildGraph(document, options);
  graphs.set(dialect, graph);
  return graph;
}

/**
 * Checks a schema against its dialect's metaschema, without formats. Never throws.
 * @param decimals the exact values of numbers that do not fit a double: 1e-400 is above 0
 * @returns the first place where it fails, in words for people, with every place in `details` (at most 20); undefined
 *   if it is valid.
 */
export function checkMetaschema(
  schema: unknown,
  dialect: OwnDialect,
  decimals: ExactDecimals,
): SchemaError | undefined {
  try {
    const graph = metaschemaGraph(dialect);
    // A metaschema applies a few keywords to each place: the size of the schema bounds the work.
    const found = issuesOf(graph, schema, decimals, MAX_ERRORS);
    return found && faultOf(found, dialect);
  } catch (thrown) {
    const message = `the schema could not be checked against the ${dialect} metaschema: ${messageOf(thrown)}`;
    return { code: "uncompilable", message, path: "" };
  }
}

/** Reports each fault once, in words for people: a metaschema finds it in several ways. */
function faultOf({ errors, total }: FailureExplanation, dialect: OwnDialect): SchemaError {
  const issues = errors.map((error) => issueOf(error, "field"));
  const clauses = checkClauses({ errors: issues }, "the schema");
  const details = clauses.slice(0, MAX_DETAILS).map(({ path, predicate }): SchemaError => {
    return { code: "metaschema", message: predicate, path };
  });
  const [first] = clauses;
  const others = clauses.length - 1 + total - errors.length;
  const more = others > 0 ? ` (and ${others} more)` : "";
  const said =
    first === undefined ? "the schema is invalid" : `${first.subject} ${first.predicate}`;
  const not = dialect === POLICY ? "not a valid policy" : `not valid JSON Schema ${dialect}`;
  const message = `${not}: ${said}${more}`;
  return { code: "metaschema", message, path: first?.path ?? "", details };
}
