import { Comparison } from "./comparison.ts";
import type { DriftFinding } from "./finding.ts";
import { roomFor, type Shape } from "./shape.ts";

/** What results of a tool were like, against its output schema. */
export interface Drift {
  /** How many results were looked at. */
  readonly results: number;
  readonly findings: readonly DriftFinding[];
  /**
   * Whether parts of the schema (`anyOf`, conditions, patterns) were not compared, so that what is told
   * as undeclared may be declared there.
   */
  readonly partial: boolean;
}

function compared(root: unknown, schema: unknown, shape: Shape): Comparison {
  const comparison = new Comparison(root, roomFor(shape));
  comparison.compare(schema, shape);
  return comparison;
}

/**
 * Compares what came with what is declared, in the order of the schema; at most 500 findings. Pure,
 * and never throws, whatever the schema is.
 */
export function driftOf(schema: unknown, shape: Shape): Drift {
  const { findings, partial } = compared(schema, schema, shape);
  return { results: shape.count, findings, partial };
}

/** Whether a schema takes all values of a shape, as types and members tell, and leaves nothing open. */
export function surelyFits(schema: unknown, shape: Shape): boolean {
  return compared(schema, schema, shape).surelyTakesAll;
}
