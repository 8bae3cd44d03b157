import { REFUSED } from "./call.ts";

/** A filter of the listings, by its name in the address and in the gateway's API. */
export interface FilterPart {
  readonly name: string;
  readonly label: string;
  /** All its possible values. If absent, values seen in past calls are suggested. */
  readonly values?: readonly string[];
  /** Whether it accepts several values, joined by commas. */
  readonly many?: true;
  /** Set if only calls or only records have it. */
  readonly of?: View;
}

/** What is listed: calls with the decisions about them, or individual records. */
export type View = "calls" | "records";

/** All filters. To add one, add an entry: chips, suggestions, the address and clickable cells follow from it. */
export const FILTERS: readonly FilterPart[] = [
  { name: "q", label: "Text", of: "calls" },
  {
    name: "type",
    label: "Type",
    many: true,
    of: "records",
    values: [
      "tool_call",
      "policy_decision",
      "schema_change",
      "list_change",
      "server_change",
      "config_change",
      "system_start",
      "system_stop",
    ],
  },
  {
    name: "status",
    label: "Status",
    many: true,
    values: ["success", "error", "blocked", "warning", "repaired", ...REFUSED],
  },
  { name: "server", label: "Server" },
  { name: "tool", label: "Tool" },
  { name: "client", label: "Client" },
  { name: "caller", label: "Caller" },
  { name: "rule", label: "Issue class", of: "calls" },
  { name: "direction", label: "Direction", many: true, values: ["input", "output", "protocol"] },
  {
    name: "decision",
    label: "Decision",
    many: true,
    values: ["allowed", "warning", "repaired", "blocked"],
  },
  {
    name: "outcome",
    label: "Outcome",
    many: true,
    values: [
      "pass",
      "violation",
      "guard",
      "budget",
      "missing",
      "uncompilable",
      "unknown",
      "skipped",
    ],
  },
  { name: "session", label: "Session" },
  { name: "request", label: "Request" },
  { name: "since", label: "Since" },
  { name: "until", label: "Until" },
];

/** The active filters, combined with "and". */
export type Filters = Readonly<Record<string, string | undefined>>;

/** How far back to look, in the format of the gateway's API. */
export const SINCE: readonly (readonly [value: string, label: string])[] = [
  ["", "All time"],
  ["15m", "Last 15 minutes"],
  ["1h", "Last hour"],
  ["24h", "Last 24 hours"],
  ["7d", "Last 7 days"],
  ["30d", "Last 30 days"],
];

/** Returns the filters that a listing supports. */
export function filtersOf(view: View): readonly FilterPart[] {
  return FILTERS.filter(({ of = view }) => of === view);
}

/** Reads the filters in an address. Ignores unknown ones; if a name occurs twice, the first wins. */
export function readFilters(query: string): Filters {
  const given = new URLSearchParams(query);
  const held = FILTERS.map(({ name }) => [name, given.get(name) ?? ""] as const);
  return Object.fromEntries(held.filter(([, value]) => value !== ""));
}

/** Returns the address parameters for these filters, always in the same order. */
export function writeFilters(filters: Filters): string {
  const query = new URLSearchParams();
  for (const { name } of FILTERS) {
    const value = Object.hasOwn(filters, name) ? (filters[name] ?? "") : "";
    if (value !== "") query.set(name, value.toWellFormed());
  }
  return query.toString();
}

const listOf = (text: string): readonly string[] => text.split(",").filter(Boolean);

/** Returns the active values of a filter. */
export function valuesOf(filters: Filters, { name, many }: FilterPart): readonly string[] {
  const value = Object.hasOwn(filters, name) ? (filters[name] ?? "") : "";
  if (value === "") return [];
  return many === true ? listOf(value) : [value];
}

/** Returns the filters with one more value. If a filter takes only one value, replaces it. */
export function withValue(filters: Filters, part: FilterPart, value: string): Filters {
  const others = part.many === true ? valuesOf(filters, part).filter((each) => each !== value) : [];
  return { ...filters, [part.name]: [...others, value].join(",") };
}

/** Returns the filters with one value removed. */
export function withoutValue(filters: Filters, part: FilterPart, value: string): Filters {
  const { [part.name]: _held, ...rest } = filters;
  const others = valuesOf(filters, part).filter((each) => each !== value);
  return others.length === 0 ? rest : { ...rest, [part.name]: others.join(",") };
}

/**
 * Returns the filters for rows older than the listed ones. They include everything from the same millisecond as the
 * oldest listed row, even that row itself, so that nothing is skipped.
 * @param rows newest first
 */
export function olderFilters(
  filters: Filters,
  rows: readonly { readonly time: string }[],
): Filters {
  const oldest = Date.parse(rows.at(-1)?.time ?? "");
  // The gateway treats `until` as exclusive.
  return Number.isNaN(oldest) ? filters : { ...filters, until: new Date(oldest + 1).toISOString() };
}
