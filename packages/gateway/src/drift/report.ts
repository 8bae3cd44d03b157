import { type Drift, driftOf } from "./drift.ts";
import type { Unsure } from "./finding.ts";
import { proposeSchema } from "./propose.ts";
import type { KeptDrift } from "./store.ts";

/** Of what tools it is known what their results are like, for whoever asks for another. */
export const KNOWN_DRIFT: string =
  "What they are like is kept, 2 s after they came, of tools with an output schema where the " +
  'gateway has "activity": {"drift": true} and output_validation in warn or strict.';

/** What the results of one tool were like under one of its schemas. */
export interface DriftReport extends Drift {
  readonly server: string;
  readonly tool: string;
  readonly schema_hash: string;
  readonly since: string;
  readonly until: string;
  /** The schema with what came put in. */
  readonly proposed: unknown;
  /** Whether it is known to take all that came. */
  readonly proposed_fits: boolean;
  /** Of what that is not known. */
  readonly proposed_unsure: readonly Unsure[];
}

/** Compares what is kept of a tool with the schema that it came under. Pure, and never throws. */
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
