/** A filter of the listings, by the name that it has in the address and in the gateway's API. */
export interface FilterPart {
  readonly name: string;
  readonly label: string;
  /** All its values. Without them, those that calls have had are proposed. */
  readonly values?: readonly string[];
  /** Whether it can hold several values, joined by commas. */
  readonly many?: true;
  /** Whether only calls have it, or only records. */
  readonly of?: View;
}

/** What is listed: calls with what was decided about them, or each record by itself. */
export type View = "calls" | "records";

/** Every filter. A new one is one entry: chips, proposals, the address and cells to click follow from it. */
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
    values: ["success", "error", "blocked", "warning", "repaired", "rejected"],
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

/** The filters that hold; they are joined by "and". */
export type Filters = Readonly<Record<string, string | undefined>>;

/** How far back, as the gateway's API takes it. */
export const SINCE: readonly (readonly [value: string, label: string])[] = [
  ["", "All time"],
  ["15m", "Last 15 minutes"],
  ["1h", "Last hour"],
  ["24h", "Last 24 hours"],
  ["7d", "Last 7 days"],
  ["30d", "Last 30 days"],
];

/** The filters that a listing has. */
export function filtersOf(view: View): readonly FilterPart[] {
  return FILTERS.filter(({ of = view }) => of === view);
}

/** Reads the filters of an address; what is none is left out, and of two with one name the first holds. */
export function readFilters(query: string): Filters {
  const given = new URLSearchParams(query);
  const held = FILTERS.map(({ name }) => [name, given.get(name) ?? ""] as const);
  return Object.fromEntries(held.filter(([, value]) => value !== ""));
}

/** The parameters of an address with these filters, in one order, whatever order they were set in. */
export function writeFilters(filters: Filters): string {
  const query = new URLSearchParams();
  for (const { name } of FILTERS) {
    const value = Object.hasOwn(filters, name) ? (filters[name] ?? "") : "";
    if (value !== "") query.set(name, value.toWellFormed());
  }
  return query.toString();
}

const listOf = (text: string): readonly string[] => text.split(",").filter(Boolean);

/** The values of a filter that hold. */
export function valuesOf(filters: Filters, { name, many }: FilterPart): readonly string[] {
  const value = Object.hasOwn(filters, name) ? (filters[name] ?? "") : "";
  if (value === "") return [];
  return many === true ? listOf(value) : [value];
}

/** The filters with one value more; a filter that holds one value has this instead. */
export function withValue(filters: Filters, part: FilterPart, value: string): Filters {
  const others = part.many === true ? valuesOf(filters, part).filter((each) => each !== value) : [];
  return { ...filters, [part.name]: [...others, value].join(",") };
}

/** The filters without a value. */
export function withoutValue(filters: Filters, part: FilterPart, value: string): Filters {
  const { [part.name]: _held, ...rest } = filters;
  const others = valuesOf(filters, part).filter((each) => each !== value);
  return others.length === 0 ? rest : { ...rest, [part.name]: others.join(",") };
}

/**
 * The filters for what is older than the rows that are listed. What came in the same millisecond as the oldest
 * of them is among it, that one again too, so that none is passed over.
 * @param rows newest first
 */
export function olderFilters(
  filters: Filters,
  rows: readonly { readonly time: string }[],
): Filters {
  const oldest = Date.parse(rows.at(-1)?.time ?? "");
  // The gateway takes `until` as the first moment that is too late.
  return Number.isNaN(oldest) ? filters : { ...filters, until: new Date(oldest + 1).toISOString() };
}
