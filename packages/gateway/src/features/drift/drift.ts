import type { Shape } from "@touchstone/records/plain";
import { Comparison } from "./comparison.ts";
import type { DriftFinding } from "./schemas.ts";

/** The shape of a tool's results, compared with its output schema. */
export interface ResultDrift {
  /** How many results were read. */
  readonly results: number;
  /** How many of them the schema refused. */
  readonly refused: number;
  readonly findings: readonly DriftFinding[];
  /**
   * Whether parts of the schema (`anyOf`, conditions, patterns) were not compared, so that a member reported as
   * undeclared may be declared there.
   */
  readonly partial: boolean;
}

/**
 * Compares results with their declaration, in the order of the schema; at most 500 findings. Pure, and never throws,
 * whatever the schema is.
 */
export function findDrift(schema: unknown, shape: Shape): ResultDrift {
  const comparison = new Comparison(schema, shape);
  comparison.compare(schema, shape);
  const { findings, unsure } = comparison.found;
  const partial = unsure.has("parts");
  return { results: shape.count, refused: shape.refused, findings, partial };
}
