import { exceedsLimit, measureValue } from "../../json/measure.ts";
import { cutText } from "../../json/quote.ts";
import type { Issue, Suggestion, ValidationResult } from "../../result.ts";

/** Maximum size of `params`, a schema path or a suggested value when written out, in characters. */
const MAX_WRITTEN = 1024;
/** Maximum size of one text in `params` that exceed the maximum. */
const MAX_TEXT = 256;
const MAX_LEVELS = 64;

type Params = Readonly<Record<string, unknown>>;

function fits(value: unknown): boolean {
  return !exceedsLimit(measureValue(value, MAX_LEVELS, MAX_WRITTEN));
}

/** Returns how many values from the start of a list fit together. */
function fitting(list: readonly unknown[]): number {
  let left = MAX_WRITTEN;
  const end = list.findIndex((value) => {
    const size = measureValue(value, MAX_LEVELS, left);
    left -= exceedsLimit(size) ? left + 1 : size;
    return left < 0;
  });
  return end === -1 ? list.length : end;
}

function boundParams(params: Params): Params {
  if (fits(params)) return params;
  const members = Object.entries(params);
  const lists = members.map(([, value]) => value).filter(Array.isArray);
  // The lists of one keyword report the same values.
  const kept = Math.min(...lists.map(fitting));
  const more = Math.max(0, ...lists.map(({ length }) => length - kept));
  const bounded = members.flatMap(([name, value]): [string, unknown][] => {
    if (Array.isArray(value)) return [[name, value.slice(0, kept)]];
    if (typeof value === "string") return [[name, cutText(value, MAX_TEXT)]];
    return fits(value) ? [[name, value]] : [];
  });
  return Object.fromEntries(more > 0 ? [...bounded, ["truncated", more]] : bounded);
}

/** Returns an issue in the form that it has in {@link boundedResult}. */
export function boundedIssue(issue: Issue): Issue {
  const { params, schemaPath } = issue;
  const few = params === undefined ? params : boundParams(params);
  const short = schemaPath === undefined ? schemaPath : cutText(schemaPath, MAX_WRITTEN);
  if (few === params && short === schemaPath) return issue;
  return {
    ...issue,
    ...(short === undefined ? {} : { schemaPath: short }),
    ...(few === undefined ? {} : { params: few }),
  };
}

function boundSuggestion(suggestion: Suggestion): Suggestion {
  if (fits(suggestion.value)) return suggestion;
  const { value: _large, ...words } = suggestion;
  return words;
}

/**
 * Returns a result for writing out, as JSON for instance. In memory, all issues share the schema's own values; in a
 * text, each has its own copy. `params` keep about 1,024 characters: the first values of a long list, with
 * `truncated` as the number of values left out; the first 256 characters of long texts; no large values. `schemaPath`
 * is cut to 1,024 characters, and a larger suggestion `value` is left out. Everything else is unchanged.
 */
export function boundedResult<T extends Partial<ValidationResult>>(result: T): T {
  const { errors, warnings, suggestions } = result;
  return {
    ...result,
    ...(errors === undefined ? {} : { errors: errors.map(boundedIssue) }),
    ...(warnings === undefined ? {} : { warnings: warnings.map(boundedIssue) }),
    ...(suggestions === undefined ? {} : { suggestions: suggestions.map(boundSuggestion) }),
  };
}
