import { isDeepStrictEqual } from "node:util";
import { Comparison } from "./comparison.ts";
import type { DriftFinding, Unsure } from "./finding.ts";
import type { Shape } from "./shape.ts";

/** What results of a tool were like, against its output schema. */
export interface Drift {
  /** How many results were looked at. */
  readonly results: number;
  /** How many of them the schema refused. */
  readonly refused: number;
  readonly findings: readonly DriftFinding[];
  /**
   * Whether parts of the schema (`anyOf`, conditions, patterns) were not compared, so that what is told
   * as undeclared may be declared there.
   */
  readonly partial: boolean;
}

function compared(schema: unknown, shape: Shape): Comparison {
  const comparison = new Comparison(schema, shape);
  comparison.compare(schema, shape);
  return comparison;
}

/**
 * Compares what came with what is declared, in the order of the schema; at most 500 findings. Pure,
 * and never throws, whatever the schema is.
 */
export function driftOf(schema: unknown, shape: Shape): Drift {
  const { findings, unsure } = compared(schema, shape);
  const partial = unsure.has("parts");
  return { results: shape.count, refused: shape.refused, findings, partial };
}

/** Whether a schema takes all that came. */
export interface Fit {
  /** That it does, and nothing is left open. */
  readonly fits: boolean;
  /** What leaves it open, where nothing that came is known to be refused. */
  readonly unsure: readonly Unsure[];
}

/**
 * Whether a schema takes all values of a shape, as types, members and verdicts tell.
 * @param declared the schema by which the values were judged; what it took needs no comparing
 */
export function fitOf(schema: unknown, shape: Shape, declared: unknown): Fit {
  if (shape.passed === shape.count && isDeepStrictEqual(schema, declared)) {
    return { fits: true, unsure: [] };
  }
  const { takesAll, surelyTakesAll, unsure } = compared(schema, shape);
  return { fits: surelyTakesAll, unsure: takesAll ? [...unsure] : [] };
}
