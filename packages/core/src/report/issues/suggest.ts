import type { KeywordError } from "../../engine/context.ts";
import { joinPointer } from "../../json/pointer.ts";
import { cutText, quote, quoteValue } from "../../json/quote.ts";
import { explanationOf } from "../../keywords/index.ts";
import type { Suggestion } from "../../result.ts";
import {
  asJsonArray,
  type Conversion,
  conversionsOf,
  encodedKind,
  unwrapAdvice,
} from "./convert.ts";
import type { ObjectNames } from "./declared-names.ts";
import { isAboutPropertyName } from "./issue.ts";
import {
  acceptedDefault,
  type IssueSubject,
  isAccepted,
  isValueRequired,
} from "./issue-subject.ts";
import { SuggestionLookup } from "./suggestion-lookup.ts";

const MAX_SUGGESTIONS = 20;
const MAX_VALUE = 120;
const MAX_VALUES = 20;
/** Maximum number of errors for which another value is searched. */
const MAX_REWRITTEN = 50;

/** The advice for a value without content (`null` or `""`). */
export const OMIT_ADVICE = "leave it out if it is not required";

/**
 * The name that each renaming suggestion proposes. Stored separately, because the suggestion's JSON has only a
 * sentence.
 */
const meantNames = new WeakMap<Suggestion, () => string | undefined>();

/** Returns the declared name that a suggestion proposes for a property, if no other name is as near. */
export function suggestedName(suggestion: Suggestion): string | undefined {
  return meantNames.get(suggestion)?.();
}

function renaming(
  error: KeywordError,
  name: string,
  near: string | undefined,
  names: ObjectNames,
): Suggestion[] {
  if (near === undefined) return [];
  const path = joinPointer(error.instancePath, name);
  const suggestion = { path, message: `did you mean ${quote(near)}?` };
  let known: { readonly name: string | undefined } | undefined;
  meantNames.set(suggestion, () => {
    known ??= { name: names.isOnlyNear(name, near) ? near : undefined };
    return known.name;
  });
  return [suggestion];
}

/**
 * For a missing property: suggests renaming the name that was probably meant as this one, and other names that may be
 * misspelled, if the schema allows other names.
 */
function misspelt(error: KeywordError, missing: string, lookup: SuggestionLookup): Suggestion[] {
  const names = lookup.namesOf(error);
  const spelt = names.spellingOf(missing);
  return names.unknown.flatMap((name) =>
    renaming(error, name, name === spelt ? missing : names.nearestTo(name), names),
  );
}

/**
 * Returns the allowed value that was probably meant by the value of an error. Undefined if there is none, or if other
 * schemas for the same place refuse it.
 */
export function suggestedValue(
  subject: IssueSubject,
  values: readonly unknown[],
  lookup: SuggestionLookup,
): unknown {
  const found = values.length === 1 ? values[0] : similar(subject.error.data, values, lookup);
  return found !== undefined && isAccepted(subject, found, lookup) ? found : undefined;
}

function similar(data: unknown, values: readonly unknown[], lookup: SuggestionLookup): unknown {
  const near = typeof data === "string" ? lookup.textsOf(values).nearest(data, lookup) : undefined;
  if (near !== undefined) return near;
  return conversionsOf(data).find(({ value, told }) => told && values.includes(value))?.value;
}

function allowed(
  error: KeywordError,
  values: readonly unknown[],
  lookup: SuggestionLookup,
): Suggestion[] {
  const shown = values
    .slice(0, MAX_VALUES)
    .map((value) => quoteValue(value, MAX_VALUE))
    .join(", ");
  const rest = values.length > MAX_VALUES ? ` and ${values.length - MAX_VALUES} more` : "";
  const message = values.length === 1 ? `must be ${shown}` : `allowed values: ${shown}${rest}`;
  const near = suggestedValue({ error }, values, lookup);
  return [{ path: error.instancePath, message, ...(near === undefined ? {} : { value: near }) }];
}

/**
 * Returns the same value, written so that every schema that surely checks its place accepts it, if possible.
 * @param subject its schema may be an `anyOf` or `oneOf` that no value of this type satisfies
 */
function rewriting(subject: IssueSubject, lookup: SuggestionLookup): Conversion | undefined {
  return conversionsOf(subject.error.data).find(({ value }) => isAccepted(subject, value, lookup));
}

/**
 * Returns how to write a value of the wrong type: so that the schemas of its place accept it, or at least as the
 * object or array that a string holds, whatever else is wrong with that.
 * @param types the JSON Schema types that the place allows
 */
export function rewriteAdvice(
  subject: IssueSubject,
  types: readonly string[],
  lookup: SuggestionLookup,
): string | undefined {
  return rewriting(subject, lookup)?.message ?? heldAs(subject.error.data, types, lookup);
}

function heldAs(
  data: unknown,
  types: readonly string[],
  lookup: SuggestionLookup,
): string | undefined {
  const held = encodedKind(data, types, lookup);
  if (held !== undefined) return unwrapAdvice(held);
  return types.includes("array") ? asJsonArray(data) : undefined;
}

/**
 * Returns whether an empty value (`null` or `""`) is a property or an item that may be absent, as far as the schemas
 * show.
 */
export function mayBeOmitted(subject: IssueSubject, lookup: SuggestionLookup): boolean {
  const { data, instancePath } = subject.error;
  return (data === null || data === "") && instancePath !== "" && !isValueRequired(subject, lookup);
}

function rewritten(error: KeywordError, lookup: SuggestionLookup): Suggestion[] {
  const { instancePath: path, keyword, params, data } = error;
  if (keyword === "type") {
    const fitting = rewriting({ error }, lookup);
    if (fitting !== undefined) {
      const { message, told, value } = fitting;
      return [{ path, message, ...(told ? { value } : {}) }];
    }
    const other = heldAs(data, [params["type"]].flat().map(String), lookup);
    if (other !== undefined) return [{ path, message: other }];
  }
  return mayBeOmitted({ error }, lookup) ? [{ path, message: OMIT_ADVICE }] : [];
}

function suggestionsFor(
  error: KeywordError,
  values: boolean,
  lookup: SuggestionLookup,
): Suggestion[] {
  if (isAboutPropertyName(error)) return [];
  const { additionalProperty, unevaluatedProperty, missingProperty } = error.params;
  const unknown = additionalProperty ?? unevaluatedProperty;
  if (typeof unknown === "string") {
    const names = lookup.namesOf(error);
    return renaming(error, unknown, names.nearestTo(unknown), names);
  }
  if (typeof missingProperty === "string") return misspelt(error, missingProperty, lookup);
  const wanted = values ? explanationOf(error.keyword).wants?.(error.params)?.values : undefined;
  return wanted === undefined || wanted.length === 0 ? [] : allowed(error, wanted, lookup);
}

function byDefault(error: KeywordError, lookup: SuggestionLookup): Suggestion[] {
  const found = acceptedDefault({ error }, lookup);
  if (found === undefined) return [];
  const { missingProperty } = error.params;
  const path =
    typeof missingProperty === "string"
      ? joinPointer(error.instancePath, missingProperty)
      : error.instancePath;
  return [{ path, message: `the default is ${found.shown}`, value: found.value }];
}

/**
 * Makes suggestions for the listed errors: the nearest unused declared name for an unknown one, also if the schema
 * allows unknown names and a required one is missing; the values that `enum` and `const` allow, and the one that was
 * probably meant; the value that satisfies the failed schema, if it is only written differently (`"5"`, `"[1]"`,
 * `"true"`, a single item without its array); to leave out `null` and `""` if nothing requires them; the schema's
 * `default`, if it is small and valid. Makes at most 20, and fewer if finding them would take long
 * ({@link SuggestionLookup}).
 * @param values whether to show values: false if a double does not hold what the schema's text says.
 */
export function suggest(errors: readonly KeywordError[], values: boolean): readonly Suggestion[] {
  const found = new Map<string, Suggestion>();
  const lookup = new SuggestionLookup();
  let tried = 0;
  for (const error of errors) {
    if (found.size >= MAX_SUGGESTIONS) break;
    const all = suggestionsFor(error, values, lookup);
    if (values && !isAboutPropertyName(error) && tried < MAX_REWRITTEN) {
      tried++;
      if (explanationOf(error.keyword).isRewritable === true) all.push(...rewritten(error, lookup));
      all.push(...byDefault(error, lookup));
    }
    for (const suggestion of all.slice(0, MAX_SUGGESTIONS - found.size)) {
      const path = cutText(suggestion.path, 4096);
      const key = `${path}\n${suggestion.message}`;
      if (found.has(key)) continue;
      const bounded = { ...suggestion, path };
      const meaning = meantNames.get(suggestion);
      if (meaning !== undefined) meantNames.set(bounded, meaning);
      found.set(key, bounded);
    }
  }
  return [...found.values()];
}
