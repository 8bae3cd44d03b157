import { testContext } from "./context.ts";
import { explain, isValid } from "./interpret.ts";
import { plainGraph } from "./plain-graph.ts";

/** A schema, a value, and the errors as {@link tellErrors} writes them; none if the value is valid. */
export type Case = readonly [schema: string, value: string, ...errors: string[]];

/**
 * The errors of a value as `instancePath schemaPath message`.
 * @throws if the verdict and the list of errors disagree.
 */
export function tellErrors(schema: string, text: string): string[] {
  const graph = plainGraph(JSON.parse(schema));
  const value: unknown = JSON.parse(text);
  const { errors, total } = explain(graph, value, testContext(), { maxIssues: 100 });
  if (total !== errors.length || isValid(graph, value, testContext()) !== (total === 0)) {
    throw new Error(`the verdict on ${text} disagrees with ${total} errors`);
  }
  return errors.map((error) => `${error.instancePath} ${error.schemaPath} ${error.message}`);
}
