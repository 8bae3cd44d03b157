import type { Suggestion } from "../result.ts";
import type { SchemaError } from "../schema/interpret/context.ts";
import { cut } from "./bound.ts";
import { issueOf } from "./issue.ts";

const MAX_SUGGESTIONS = 20;
const MAX_VALUE = 120;
const MAX_VALUES = 20;
/** Names longer than this, and more names than this, are not compared. */
const MAX_NAME = 64;
const MAX_NAMES = 1000;

/**
 * The distance of two texts by insertions, deletions, replacements and swaps of neighbours, where
 * no part is changed twice (Damerau-Levenshtein, optimal string alignment).
 */
export function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let least = Math.min(
        (above[j] as number) + 1,
        (row[j - 1] as number) + 1,
        (above[j - 1] as number) + cost,
      );
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        least = Math.min(least, (before[j - 2] as number) + 1);
      }
      row.push(least);
    }
    before = above;
    above = row;
  }
  return above[b.length] as number;
}

/**
 * The candidate nearest to `name`, ignoring case: at most one edit away for up to three characters,
 * two for up to seven, three beyond. Of equally near ones, the first.
 */
export function nearest(name: string, candidates: readonly string[]): string | undefined {
  if (name.length > MAX_NAME) return undefined;
  const wanted = name.toLowerCase();
  let best: string | undefined;
  let least = (name.length <= 3 ? 1 : name.length <= 7 ? 2 : 3) + 1;
  for (const candidate of candidates.slice(0, MAX_NAMES)) {
    if (Math.abs(candidate.length - name.length) >= least) continue;
    const distance = editDistance(wanted, candidate.toLowerCase());
    if (distance < least) {
      best = candidate;
      least = distance;
    }
  }
  return best;
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function unknownProperty(error: SchemaError, name: string): Suggestion | undefined {
  const declared = [...(error.node.properties?.keys() ?? [])];
  const data = record(error.data);
  const near = nearest(
    name,
    declared.filter((candidate) => !Object.hasOwn(data, candidate)),
  );
  if (near === undefined) return undefined;
  const { path } = issueOf(error, "field");
  return { path, message: `did you mean ${JSON.stringify(near)}?` };
}

function show(value: unknown): string {
  return cut(JSON.stringify(value) ?? String(value), MAX_VALUE);
}

function allowed(error: SchemaError, values: readonly unknown[]): Suggestion {
  const shown = values.slice(0, MAX_VALUES).map(show).join(", ");
  const rest = values.length > MAX_VALUES ? ` and ${values.length - MAX_VALUES} more` : "";
  const message = values.length === 1 ? `must be ${shown}` : `allowed values: ${shown}${rest}`;
  const strings = values.filter((value) => typeof value === "string");
  const near =
    values.length === 1
      ? values[0]
      : typeof error.data === "string"
        ? nearest(error.data, strings)
        : undefined;
  return { path: error.instancePath, message, ...(near === undefined ? {} : { value: near }) };
}

function suggestionFor(error: SchemaError, values: boolean): Suggestion | undefined {
  const { additionalProperty, unevaluatedProperty, allowedValues, allowedValue } = error.params;
  const unknown = additionalProperty ?? unevaluatedProperty;
  if (typeof unknown === "string") return unknownProperty(error, unknown);
  if (!values) return undefined;
  if (error.keyword === "enum" && Array.isArray(allowedValues) && allowedValues.length > 0) {
    return allowed(error, allowedValues);
  }
  return error.keyword === "const" ? allowed(error, [allowedValue]) : undefined;
}

/**
 * Suggests, for the errors that are listed, the nearest declared name that the object does not use
 * yet in place of an unknown one, and the values that `enum` and `const` allow. At most 20.
 * @param values whether allowed values are told: not where a double does not hold what the schema's
 * text says.
 */
export function suggest(errors: readonly SchemaError[], values: boolean): readonly Suggestion[] {
  const found = new Map<string, Suggestion>();
  for (const error of errors) {
    if (found.size >= MAX_SUGGESTIONS) break;
    const suggestion = suggestionFor(error, values);
    if (suggestion === undefined) continue;
    const path = cut(suggestion.path, 4096);
    found.set(`${path}\n${suggestion.message}`, { ...suggestion, path });
  }
  return [...found.values()];
}
