import { type Drift, driftOf } from "./drift.ts";
import type { Unsure } from "./finding.ts";
import { proposeSchema } from "./propose.ts";
import type { KeptDrift } from "./store.ts";

/** How many tools to name whose results are known, if another one is requested. */
export const KNOWN_DRIFT: string =
  "The shapes of results are stored 2 s after they arrive, for tools with an output schema, if the " +
  'gateway has "activity": {"drift": true} and output_validation in warn or strict.';

/** A tool's results under one of its schemas. */
export interface DriftReport extends Drift {
  readonly server: string;
  readonly tool: string;
  readonly schema_hash: string;
  readonly since: string;
  readonly until: string;
  /** The corrected schema. */
  readonly proposed: unknown;
  /** Whether it certainly accepts everything that came. */
  readonly proposed_fits: boolean;
  /** What is uncertain about that. */
  readonly proposed_unsure: readonly Unsure[];
}

/** Compares a tool's kept results with their schema. Pure, and never throws. */
export function driftReport(kept: KeptDrift): DriftReport {
  const { server, tool, schemaHash, since, until, shape } = kept;
  const schema = parsed(kept.schema);
  const { schema: proposed, fits, unsure } = proposeSchema(schema, shape);
  return {
    server,
    tool,
    schema_hash: schemaHash,
    since,
    until,
    ...driftOf(schema, shape),
    proposed,
    proposed_fits: fits,
    proposed_unsure: unsure,
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return true;
  }
}
