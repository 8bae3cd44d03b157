import type { CallValues } from "@touchstone/gateway/api";

/** The categories by which the calls of a time step are counted. */
export type Counted = "success" | "repaired" | "warning" | "error" | "rejected" | "blocked";

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
