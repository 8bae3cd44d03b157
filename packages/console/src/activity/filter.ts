/** The filters of the page, by the names that they have in the address and in the gateway's API. */
export const FILTERS = [
  "type",
  "server",
  "tool",
  "direction",
  "decision",
  "status",
  "outcome",
  "client",
  "session",
  "request",
  "since",
  "until",
] as const;
export type FilterName = (typeof FILTERS)[number];

/** The filters that hold; they are joined by "and". */
export type Filters = Readonly<Partial<Record<FilterName, string>>>;

/** A filter whose values are known. */
export type ChoiceName = "type" | "direction" | "decision" | "status" | "outcome";

/** The values of these filters. In the address a filter may hold several, joined by commas. */
export const CHOICES: Readonly<Record<ChoiceName, readonly string[]>> = {
  type: [
    "tool_call",
    "policy_decision",
    "schema_change",
    "server_change",
    "config_change",
    "system_start",
    "system_stop",
  ],
  direction: ["input", "output", "protocol"],
  decision: ["allowed", "warning", "repaired", "blocked"],
  status: ["success", "error", "blocked", "warning", "repaired", "rejected"],
  outcome: [
    "pass",
    "violation",
    "guard",
    "budget",
    "missing",
    "uncompilable",
    "unknown",
    "skipped",
  ],
};

/** How far back, as the gateway's API takes it. */
export const SINCE: readonly string[] = ["15m", "1h", "24h", "7d", "30d"];

/** Reads the filters of an address; what is none is left out, and of two with one name the first holds. */
export function readFilters(query: string): Filters {
  const given = new URLSearchParams(query);
  const held = FILTERS.map((name) => [name, given.get(name) ?? ""] as const);
  return Object.fromEntries(held.filter(([, value]) => value !== ""));
}

/** The parameters of an address with these filters, in one order, whatever order they were set in. */
export function writeFilters(filters: Filters): string {
  const query = new URLSearchParams();
  for (const name of FILTERS) {
    const value = filters[name] ?? "";
    if (value !== "") query.set(name, value.toWellFormed());
  }
  return query.toString();
}

/**
 * The filters for what is older than the records that are listed. What came in the same millisecond as the oldest
 * of them is among it, that one again too, so that none is passed over.
 * @param records newest first
 */
export function olderFilters(
  filters: Filters,
  records: readonly { readonly time: string }[],
): Filters {
  const oldest = Date.parse(records.at(-1)?.time ?? "");
  // The gateway takes `until` as the first moment that is too late.
  return Number.isNaN(oldest) ? filters : { ...filters, until: new Date(oldest + 1).toISOString() };
}
