import { idKey } from "@touchstone/protocol";
import { lookalikes, type PendingRequest } from "./inflight.ts";
import type { PipelineState } from "./state.ts";

/**
 * The request whose id some clients take an answer's for. It waits no more, or a server that writes
 * all ids so would use up all places; other clients wait on, so what comes under its own id is judged.
 */
export function takeLookalike(
  { inflight, late }: PipelineState,
  key: string,
): PendingRequest | undefined {
  for (const other of lookalikes(key)) {
    const waiting = inflight.take(other);
    if (waiting !== undefined) {
      const pending = { ...waiting, loosely: true };
      late.add(other, pending);
      return pending;
    }
    const pending = late.get(other);
    if (pending !== undefined) return pending;
  }
  return undefined;
}

/** Ends a request that was answered in the place of a lookalike: what else comes is one too many. */
export function dropTwin({ late }: PipelineState, pending: PendingRequest): void {
  if (pending.loosely) late.replace(idKey(pending.id), pending, { ...pending, settled: true });
}
