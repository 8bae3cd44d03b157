import { formatQuery, parseQuery, type QueryKey, type QueryTerm } from "@touchstone/gateway/api";
import { REFUSED_STATUSES } from "./call.ts";

/** A filter of the listings, by its name in the address and in the gateway's API. */
export interface FilterPart {
  readonly name: string;
  readonly label: string;
  /** All its possible values. If absent, values seen in past calls are suggested. */
  readonly values?: readonly string[];
  /** Whether it takes one value only, which cannot be excluded. */
  readonly single?: true;
  /** Set if only calls or only records have it. */
  readonly of?: ActivityView;
}

/** What is listed: calls with the decisions about them, or individual records. */
export type ActivityView = "calls" | "records";

/** All filters. To add one, add an entry: chips, suggestions, the address and clickable cells follow from it. */
export const FILTERS: readonly FilterPart[] = [
  { name: "q", label: "Text", of: "calls" },
  {
    name: "type",
    label: "Type",
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
    values: ["success", "error", "blocked", "warning", "repaired", ...REFUSED_STATUSES],
  },
  { name: "server", label: "Server" },
  { name: "tool", label: "Tool" },
  { name: "client", label: "Client" },
  { name: "caller", label: "Caller" },
  {
    name: "without",
    label: "Without",
    single: true,
    of: "calls",
    values: ["caller", "client", "both"],
  },
  { name: "rule", label: "Issue class", of: "calls" },
  { name: "direction", label: "Direction", values: ["input", "output", "protocol"] },
  {
    name: "decision",
    label: "Decision",
    values: ["allowed", "warning", "repaired", "blocked"],
  },
  {
    name: "outcome",
    label: "Outcome",
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
  { name: "problem", label: "Problem", of: "calls", single: true },
  { name: "session", label: "Session", single: true },
  { name: "request", label: "Request" },
  { name: "since", label: "Since", single: true },
  { name: "until", label: "Until", single: true },
];

/**
 * The active filters, combined with "and": each by its name, or by a hyphen and its name if it excludes. Several values
 * match by any of them; a text is one value or, if a filter takes several known values, a comma list.
 */
export type Filters = Readonly<Record<string, string | readonly string[] | undefined>> & {
  readonly since?: string | undefined;
  readonly until?: string | undefined;
};

/** Returns the filters that a listing supports. */
export function filtersOf(view: ActivityView): readonly FilterPart[] {
  return FILTERS.filter(({ of = view }) => of === view);
}

/** A filter and whether it excludes. */
interface Signed {
  readonly part: FilterPart;
  readonly isExcluded: boolean;
  /** Its name in the address. */
  readonly name: string;
}

const SIGNED: readonly Signed[] = FILTERS.flatMap((part): Signed[] => [
  { part, isExcluded: false, name: part.name },
  ...(part.single === true ? [] : [{ part, isExcluded: true, name: `-${part.name}` }]),
]);

/** Reads the filters in an address. Ignores unknown ones; of one that takes a single value, the first wins. */
export function readFilters(query: string): Filters {
  const given = new URLSearchParams(query);
  const found: Record<string, string | readonly string[]> = {};
  for (const { part, name } of SIGNED) {
    const texts = given.getAll(name).filter((text) => text !== "");
    const [first] = texts;
    if (first === undefined) continue;
    if (part.single === true) {
      found[name] = first;
      continue;
    }
    const values = part.values === undefined ? texts : texts.flatMap(listOf);
    if (values.length > 0) found[name] = [...new Set(values)];
  }
  return found;
}

/** Returns the address parameters for these filters, always in the same order. */
export function writeFilters(filters: Filters): string {
  const query = new URLSearchParams();
  for (const { part, isExcluded, name } of SIGNED) {
    const values = filterValues(filters, part, isExcluded).map((value) => value.toWellFormed());
    if (values.length === 0) continue;
    if (part.values !== undefined) query.set(name, values.join(","));
    else for (const value of values) query.append(name, value);
  }
  return query.toString();
}

const listOf = (text: string): readonly string[] => text.split(",").filter(Boolean);

/** Returns the active values of a filter, or those that it excludes. */
export function filterValues(
  filters: Filters,
  { name, values, single }: FilterPart,
  isExcluded = false,
): readonly string[] {
  const signed = isExcluded ? `-${name}` : name;
  const held = Object.hasOwn(filters, signed) ? (filters[signed] ?? "") : "";
  if (typeof held !== "string") return held;
  if (held === "") return [];
  return values === undefined || single === true ? [held] : listOf(held);
}

/** Returns the filters with one more value. If a filter takes only one value, replaces it. */
export function withValue(
  filters: Filters,
  part: FilterPart,
  value: string,
  isExcluded = false,
): Filters {
  if (part.single === true) return { ...filters, [part.name]: value };
  const others = filterValues(filters, part, isExcluded).filter((each) => each !== value);
  return { ...filters, [isExcluded ? `-${part.name}` : part.name]: [...others, value] };
}

/** Returns the filters with one value removed. */
export function withoutValue(
  filters: Filters,
  part: FilterPart,
  value: string,
  isExcluded = false,
): Filters {
  const signed = isExcluded ? `-${part.name}` : part.name;
  const { [signed]: _held, ...rest } = filters;
  const others = filterValues(filters, part, isExcluded).filter((each) => each !== value);
  return others.length === 0 ? rest : { ...rest, [signed]: others };
}

/** Returns the keys that a typed query of a listing may have. */
export function keysOf(view: ActivityView): readonly QueryKey[] {
  return filtersOf(view).filter(({ name }) => name !== TEXT);
}

/** The filter for text, which has no key in a query. */
const TEXT = "q";

/** Returns the filters with those of a query. */
export function withTerms(filters: Filters, terms: readonly QueryTerm[]): Filters {
  let all = filters;
  for (const { key, values, isExcluded } of terms) {
    const part = FILTERS.find(({ name }) => name === (key ?? TEXT));
    if (part === undefined) continue;
    for (const value of values) all = withValue(all, part, value, isExcluded);
  }
  return all;
}

/** Returns the filters of a listing, except times, as a query. */
export function queryText(view: ActivityView, filters: Filters): string {
  return formatQuery(termsOf(view, filters));
}

/** Returns the filters of a listing, with times, as a query: what a saved view keeps. */
export function savedQuery(view: ActivityView, filters: Filters): string {
  const { since, until } = filters;
  const times = Object.entries({ since, until }).flatMap(([key, value]): QueryTerm[] =>
    value === undefined ? [] : [{ key, values: [value], isExcluded: false }],
  );
  return formatQuery([...termsOf(view, filters), ...times]);
}

/** Returns the filters of a saved view. */
export function filtersOfView(view: ActivityView, query: string): Filters {
  return withTerms({}, parseQuery(query, keysOf(view)).terms);
}

/** Returns the address parameters for a listing with filters. */
export function writeView(view: ActivityView, filters: Filters): string {
  const written = writeFilters(filters);
  // Only records have a type.
  if (view === "calls" || filters["type"] !== undefined) return written;
  return written === "" ? "view=records" : `view=records&${written}`;
}

function termsOf(view: ActivityView, filters: Filters): readonly QueryTerm[] {
  return SIGNED.filter(({ part: { of = view, name } }) => of === view && !isTime(name)).flatMap(
    ({ part, isExcluded }): QueryTerm[] => {
      const values = filterValues(filters, part, isExcluded);
      if (part.name === TEXT) {
        return values.map((value) => ({ key: null, values: [value], isExcluded }));
      }
      return values.length === 0 ? [] : [{ key: part.name, values, isExcluded }];
    },
  );
}

const isTime = (name: string): boolean => name === "since" || name === "until";

/** Returns the filters that apply to a view, as parameters of the API. Omits values that are not valid. */
export function parametersOf(
  view: ActivityView,
  filters: Filters,
): Readonly<Record<"query" | "since" | "until", string | undefined>> {
  const { since, until } = filters;
  const query = formatQuery(parseQuery(queryText(view, filters), keysOf(view)).terms);
  return { query: query === "" ? undefined : query, since, until };
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
