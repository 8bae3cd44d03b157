import { BudgetError } from "../budget.ts";
import type { SchemaGraph } from "../graph/node.ts";
import type { Context, ExplainLimits, Explanation } from "./context.ts";
import { Evaluation } from "./evaluate.ts";
import { Report } from "./report.ts";

/** What exhausts the stack, or is refused as too much work, ends like what exhausts the budget. */
function orBudgetError<T>(run: () => T): T {
  try {
    return run();
  } catch (thrown) {
    if (thrown instanceof RangeError) throw new BudgetError(thrown.message);
    throw thrown;
  }
}

/**
 * Whether the value satisfies the schema, by the keywords' meaning in JSON Schema 2020-12. Ends at
 * the first failure.
 * @throws BudgetError where steps, depth or stack are used up; whatever the context's functions throw.
 */
export function isValid(graph: SchemaGraph, value: unknown, context: Context): boolean {
  return orBudgetError(() => new Evaluation(graph, context, undefined).start(graph.root, value));
}

/**
 * All errors of a value, in the words, with the parameters and in the order of Ajv's `allErrors`;
 * as many as the limits allow are listed, all are counted.
 * @throws as {@link isValid}.
 */
export function explain(
  graph: SchemaGraph,
  value: unknown,
  context: Context,
  limits: ExplainLimits,
): Explanation {
  const report = new Report(graph.root, limits.maxIssues);
  orBudgetError(() => new Evaluation(graph, context, report).start(graph.root, value));
  return report.explanation();
}
