import type { StoredDrift } from "@touchstone/records/plain";
import { findDrift } from "./drift.ts";
import { proposeSchema } from "./propose.ts";
import type { DriftReport } from "./schemas.ts";

/** How many tools to name whose results are known, if another one is requested. */
export const DRIFT_DELAY_NOTE: string =
  "The shapes of results are stored 2 s after they arrive, for tools with an output schema, if the " +
  'gateway has "activity": {"drift": true} and output_validation in warn or strict.';

/** Compares a tool's kept results with their schema. Pure, and never throws. */
export function driftReport(kept: StoredDrift): DriftReport {
  const { server, tool, schemaHash, since, until, shape } = kept;
  const schema = parsed(kept.schema);
  const { schema: proposed, fits, unsure } = proposeSchema(schema, shape);
  return {
    server,
    tool,
    schema_hash: schemaHash,
    since,
    until,
    ...findDrift(schema, shape),
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
