import type { Direction } from "../../../settings/validation.ts";
import type { FactBatch } from "../facts.ts";
import { type Labels, METRICS, type MetricSink } from "../metrics.ts";
import type { OperationSide, TracedOperation } from "./sides.ts";

const NONE = {};
/** Uses the same objects each time, so that the counter recognizes them. */
const BY_DIRECTION: Readonly<Record<Direction, Labels>> = {
  input: { direction: "input" },
  output: { direction: "output" },
  protocol: { direction: "protocol" },
};
const seconds = (milliseconds: number): number => Math.max(0, milliseconds) / 1000;

/** Counts a batch. */
export function countBatch(
  sink: MetricSink,
  batch: FactBatch,
  operations: readonly TracedOperation[],
): void {
  for (const { server, client } of operations) {
    sink.note(METRICS.serverOperation, lasted(server), server.labels);
    if (client !== undefined) sink.note(METRICS.clientOperation, lasted(client), client.labels);
  }
  for (const group of batch.checks) {
    const { direction, mode, outcome, decision, rule, guard, repeated, durations } = group;
    if (repeated === true) sink.note(METRICS.repeatedRefusals, durations.length, NONE);
    const labels = { direction, mode, outcome, decision, rule };
    sink.note(METRICS.validations, durations.length, labels);
    if (guard !== undefined) sink.note(METRICS.guardTrips, durations.length, { direction, guard });
    // If nothing was checked, there is no duration.
    if (outcome === "skipped") continue;
    const own = BY_DIRECTION[direction];
    for (const took of durations) sink.note(METRICS.validationDuration, seconds(took), own);
  }
  for (const took of batch.appends) sink.note(METRICS.appendDuration, seconds(took), NONE);
  for (const took of batch.compiles) sink.note(METRICS.compileDuration, seconds(took), NONE);
  for (const { when, outcome, count: many } of batch.alerts) {
    sink.note(METRICS.alerts, many, { when, outcome });
  }
  if (batch.cached !== undefined) sink.note(METRICS.cacheEntries, batch.cached, NONE);
  if (batch.dropped > 0) sink.note(METRICS.dropped, batch.dropped, NONE);
}

function lasted({ began, ended }: OperationSide): number {
  return seconds(ended - began);
}
