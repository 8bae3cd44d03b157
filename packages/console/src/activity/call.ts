import type { ActivityRecord, CallValues } from "@touchstone/gateway/api";

/** The statuses of calls that policy, a pin, narrow or a limit refused. */
export const REFUSED_STATUSES = ["denied", "held", "out_of_bounds", "limited", "rejected"] as const;

/** Returns how many of the counted calls were refused. */
export function refusedCount(
  counts: Readonly<Partial<Record<(typeof REFUSED_STATUSES)[number], number>>>,
): number {
  return REFUSED_STATUSES.reduce((sum, status) => sum + (counts[status] ?? 0), 0);
}

/** The categories by which the calls of a time step are counted; `refused` is the sum of {@link REFUSED_STATUSES}. */
export type CallCategory = "success" | "repaired" | "warning" | "error" | "refused" | "blocked";

/** The calls of one time step. */
export interface CallBucket extends Readonly<Record<CallCategory, number>> {
  /** Milliseconds since 1970. */
  readonly time: number;
}

/** Values seen in past calls, by the name of the filter for them. */
export type KnownValues = Readonly<Record<string, readonly string[]>>;

/** Returns the values that filters can take. */
export function knownValues(values: CallValues): KnownValues {
  return {
    server: values.servers,
    tool: [...new Set(values.tools.map(({ tool }) => tool))],
    client: values.clients,
    caller: values.callers,
    session: values.sessions,
    rule: values.rules,
  };
}

/** Returns the arguments or the result in the records of a call; null if they were not kept. */
export function bodyOf(
  records: readonly ActivityRecord[],
  name: "arguments" | "result",
): string | null {
  return records.map((record) => record[name]).find((text) => text !== undefined) ?? null;
}
