import type { CallValues } from "@touchstone/gateway/api";

/** The statuses of calls that policy, a pin, narrow or a limit refused. */
export const REFUSED = ["denied", "held", "out_of_bounds", "limited", "rejected"] as const;

/** Returns how many of the counted calls were refused. */
export function refusedOf(
  counts: Readonly<Partial<Record<(typeof REFUSED)[number], number>>>,
): number {
  return REFUSED.reduce((sum, status) => sum + (counts[status] ?? 0), 0);
}

/** The categories by which the calls of a time step are counted; `refused` is the sum of {@link REFUSED}. */
export type Counted = "success" | "repaired" | "warning" | "error" | "refused" | "blocked";

/** The calls of one time step. */
export interface Bucket extends Readonly<Record<Counted, number>> {
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
