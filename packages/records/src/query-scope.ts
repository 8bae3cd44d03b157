import type { Rule } from "@touchstone/core/advanced";
import { RULES } from "@touchstone/core/plain";
import { boundName } from "./bounds.ts";
import { WITHOUT } from "./filter-names.ts";
import { parseQuery, type QueryKey, type QueryTerm } from "./query/query.ts";
import { FIELD_FILTERS, type FieldFilter } from "./record.ts";

/** Selects records whose field has one of these values or, if excluded, none of them. */
export interface FieldCondition {
  readonly field: FieldFilter["field"];
  readonly values: readonly string[];
  readonly isExcluded: boolean;
}

/** Selects calls with a decision that has an issue of one of these classes or, if excluded, calls without one. */
export interface RuleCondition {
  readonly values: readonly Rule[];
  readonly isExcluded: boolean;
}

/** Selects calls that have this text in their names, ids, reason or kept bodies or, if excluded, those that do not. */
export interface TextCondition {
  readonly text: string;
  readonly isExcluded: boolean;
  /** The results of the search index; absent if the bodies of each call are compared. */
  readonly found?: FoundBodies;
}

/** The calls that have a text in their arguments or result. */
export interface FoundBodies {
  readonly ids: readonly string[];
  /** Records that are not in the index yet: those of a chain, from a position on. */
  readonly waiting: readonly { readonly chain: string; readonly from: number }[];
}

/** Conditions of a query besides filters with one value or one list. */
export interface QueryConditions {
  readonly where?: readonly FieldCondition[];
  readonly rules?: readonly RuleCondition[];
  readonly texts?: readonly TextCondition[];
}

/** These take one value only: times, problems, and sessions, which are hashed. */
const SINGLE: ReadonlySet<string> = new Set(["session", "problem", "since", "until"]);
const TIMES: readonly QueryKey[] = [
  { name: "since", single: true },
  { name: "until", single: true },
];

/** The keys of a query for records. */
export const RECORD_KEYS: readonly QueryKey[] = [
  ...FIELD_FILTERS.map(({ name, values }) => ({ name, values, single: SINGLE.has(name) })),
  ...TIMES,
];
/** The keys of a query for records of calls, as in exports. */
export const SEARCH_KEYS: readonly QueryKey[] = [
  ...RECORD_KEYS,
  { name: "rule", values: RULES },
  { name: "problem", single: true },
  { name: "without", values: WITHOUT, single: true },
];
/** The keys of a query for calls. */
export const CALL_KEYS: readonly QueryKey[] = SEARCH_KEYS.filter(({ name }) => name !== "type");

/** A query, as filters by name and as conditions. */
export interface ExpandedQuery {
  readonly input: Readonly<Record<string, string>>;
  readonly conditions: QueryConditions;
  /** Problems of the query's text, one sentence each. */
  readonly problems: readonly string[];
}

/**
 * Splits a query into filters with one value or one list of allowed values, and conditions for everything else.
 * @param given names of filters that are already set: a query can only narrow them
 */
export function expandQuery(
  text: string,
  keys: readonly QueryKey[],
  given: ReadonlySet<string>,
): ExpandedQuery {
  const { terms, problems: found } = parseQuery(text, keys);
  const problems = [...found];
  const input: Record<string, string> = {};
  const where: FieldCondition[] = [];
  const rules: RuleCondition[] = [];
  const texts: TextCondition[] = [];
  for (const { key, values, isExcluded } of terms) {
    const filter = FIELD_FILTERS.find(({ name }) => name === key);
    if (key === null) texts.push({ text: values[0] ?? "", isExcluded });
    else if (key === "rule") rules.push({ values: values as readonly Rule[], isExcluded });
    else if (values.includes("")) problems.push(`${key}: must not be empty.`);
    else if (isPlain({ key, values, isExcluded }, filter) && !given.has(key)) {
      input[key] = values.join(",");
    } else if (filter === undefined || SINGLE.has(key)) {
      problems.push(`${key}: is a filter beside the query as well; use one of them.`);
    } else where.push({ field: filter.field, values: values.map(boundName), isExcluded });
  }
  const conditions = {
    ...(where.length > 0 && { where }),
    ...(rules.length > 0 && { rules }),
    ...(texts.length > 0 && { texts }),
  };
  return { input, conditions, problems };
}

/** Returns whether a filter by name can express the term. */
function isPlain({ values, isExcluded }: QueryTerm, filter: FieldFilter | undefined): boolean {
  return !isExcluded && (values.length === 1 || filter?.values !== undefined);
}
