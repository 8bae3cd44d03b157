import { parseQuery, type QueryTerm } from "@touchstone/gateway/api";
import type { KnownValues } from "./call.ts";
import {
  type ActivityView,
  type FilterPart,
  type Filters,
  filtersOf,
  filterValues,
  keysOf,
} from "./filter.ts";

/** What can be chosen for a typed text. */
export interface Proposal {
  readonly label: string;
  /** The filters that this proposal adds. */
  readonly terms: readonly QueryTerm[];
  /** What is wrong with the text; if anything is, nothing is added. */
  readonly problems: readonly string[];
}

export interface ProposalGroup {
  /** Its heading; empty for the text itself. */
  readonly value: string;
  readonly items: readonly Proposal[];
}

/** Values suggested at once per filter; typing finds others. */
const MAX_EACH = 8;

/**
 * Returns what the typed text itself means, and then, by filter, known values that complete its last word: `tool:ec`,
 * or `ec` for values of all filters.
 */
export function propose(
  view: ActivityView,
  known: KnownValues,
  filters: Filters,
  typed: string,
): readonly ProposalGroup[] {
  const text = typed.trim();
  const keys = keysOf(view);
  const own = { ...parseQuery(text, keys), label: ownLabel(text) };
  const itself = text === "" ? [] : [{ value: "", items: [own] }];
  const start = text.search(/\S*$/u);
  const before = parseQuery(text.slice(0, start), keys);
  const { part: named, value, isExcluded } = lastWord(view, text.slice(start));
  const groups = filtersOf(view).flatMap((part): ProposalGroup[] => {
    if (named !== undefined && named !== part) return [];
    if (isExcluded && part.single === true) return [];
    const held = new Set(filterValues(filters, part, isExcluded));
    const isMeant = named === undefined && part.label.toLowerCase().startsWith(value);
    const items = (part.values ?? known[part.name] ?? [])
      .filter((each) => !held.has(each) && (isMeant || each.toLowerCase().includes(value)))
      .slice(0, MAX_EACH)
      .map((each) => ({
        label: isExcluded ? `not ${each}` : each,
        terms: [...before.terms, { key: part.name, values: [each], isExcluded }],
        problems: before.problems,
      }));
    return items.length === 0 ? [] : [{ value: part.label, items }];
  });
  return [...itself, ...groups];
}

/** Returns the filter that a word names, and the beginning of a value after its last comma. */
function lastWord(
  view: ActivityView,
  word: string,
): { readonly part: FilterPart | undefined; readonly value: string; readonly isExcluded: boolean } {
  const isExcluded = word.startsWith("-");
  const text = (isExcluded ? word.slice(1) : word).toLowerCase();
  const colon = text.indexOf(":");
  const part =
    colon < 0 ? undefined : filtersOf(view).find(({ name }) => name === text.slice(0, colon));
  const value = part === undefined ? text : text.slice(Math.max(colon, text.lastIndexOf(",")) + 1);
  return { part, value, isExcluded };
}

/** A text without keys, quotes and exclusions is a search text. */
function ownLabel(text: string): string {
  return /^[^\s":-][^\s":]*$/u.test(text) ? `Search for “${text}”` : `Filter by ${text}`;
}
