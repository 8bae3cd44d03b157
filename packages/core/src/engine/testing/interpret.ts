import type { ExactDecimals } from "../../json/exact.ts";
import type { PatternTest } from "../../keywords/keyword.ts";
import type { SchemaGraph } from "../../keywords/node.ts";
import type { Budget } from "../../keywords/run.ts";
import { type CompilerFunctions, compiler } from "../compile.ts";
import type { FailureExplanation } from "../context.ts";
import { Evaluation } from "../engine.ts";
import { Report } from "../report.ts";

/** What an evaluation needs in addition to the graph and the value. */
export interface Context {
  readonly decimals: ExactDecimals;
  readonly budget: Budget;
  readonly formats: CompilerFunctions["format"];
  readonly numberFormats?: CompilerFunctions["numberFormat"];
  readonly patterns: (source: string) => PatternTest;
  readonly maxDepth?: number;
}

function run(graph: SchemaGraph, value: unknown, context: Context, report?: Report): boolean {
  const { formats, numberFormats = () => undefined, patterns, budget, decimals } = context;
  const compiled = compiler({ format: formats, numberFormat: numberFormats, pattern: patterns });
  const evaluation = new Evaluation(budget.steps, report, context.maxDepth);
  try {
    return evaluation.start(compiled(graph.root), value, decimals);
  } finally {
    budget.steps = evaluation.steps;
  }
}

/** Whether the value satisfies the schema. @throws BudgetError, and whatever the context's functions throw */
export function isValid(graph: SchemaGraph, value: unknown, context: Context): boolean {
  return run(graph, value, context);
}

/** All issues of a value. @throws as {@link isValid} */
export function explain(
  graph: SchemaGraph,
  value: unknown,
  context: Context,
  { maxIssues }: { readonly maxIssues: number },
): FailureExplanation {
  const report = new Report(graph.root, maxIssues);
  run(graph, value, context, report);
  return report.explanation();
}
