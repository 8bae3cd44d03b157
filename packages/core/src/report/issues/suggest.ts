import type { SchemaError } from "../../engine/context.ts";
import { joinPointer, pointerTokens } from "../../json/pointer.ts";
import { cut, quote, quoteValue } from "../../json/quote.ts";
import { explained } from "../../keywords/index.ts";
import { alwaysApplied, surelyBelow } from "../../keywords/literals.ts";
import type { Suggestion } from "../../result.ts";
import { type Conversion, conversionsOf, heldIn, itself } from "./convert.ts";
import { defaultFor, satisfies } from "./default.ts";
import { isAboutName } from "./issue.ts";
import { Lookup } from "./lookup.ts";
import type { ObjectNames } from "./names.ts";

const MAX_SUGGESTIONS = 20;
const MAX_VALUE = 120;
const MAX_VALUES = 20;
/** Maximum number of errors for which another value is searched. */
const MAX_REWRITTEN = 50;

/**
 * The name that each renaming suggestion proposes. Stored separately, because the suggestion's JSON has only a
 * sentence.
 */
const meantNames = new WeakMap<Suggestion, () => string | undefined>();

/** Returns the declared name that a suggestion proposes for a property, if no other name is as near. */
export function nameMeant(suggestion: Suggestion): string | undefined {
  return meantNames.get(suggestion)?.();
}

function renaming(
  error: SchemaError,
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
 * For a missing property: suggests renaming the name that probably stands for it, and other names that may be
 * misspelled, if the schema allows other names.
 */
function misspelt(error: SchemaError, missing: string, lookup: Lookup): Suggestion[] {
  const names = lookup.namesOf(error);
  const spelt = names.spellingOf(missing);
  return names.unknown.flatMap((name) =>
    renaming(error, name, name === spelt ? missing : names.nearestTo(name), names),
  );
}

/** Returns the allowed value that a value probably stands for. */
export function meant(data: unknown, values: readonly unknown[], lookup: Lookup): unknown {
  if (values.length === 1) return values[0];
  const near = typeof data === "string" ? lookup.textsOf(values).nearest(data, lookup) : undefined;
  if (near !== undefined) return near;
  return conversionsOf(data).find(({ value, told }) => told && values.includes(value))?.value;
}

function allowed(error: SchemaError, values: readonly unknown[], lookup: Lookup): Suggestion[] {
  const shown = values
    .slice(0, MAX_VALUES)
    .map((value) => quoteValue(value, MAX_VALUE))
    .join(", ");
  const rest = values.length > MAX_VALUES ? ` and ${values.length - MAX_VALUES} more` : "";
  const message = values.length === 1 ? `must be ${shown}` : `allowed values: ${shown}${rest}`;
  const near = meant(error.data, values, lookup);
  return [{ path: error.instancePath, message, ...(near === undefined ? {} : { value: near }) }];
}

/** Returns the same value, written so that the schema of the error's node accepts it, if possible. */
export function rewriting(error: SchemaError, lookup: Lookup): Conversion | undefined {
  if (error.keyword !== "type") return undefined;
  return conversionsOf(error.data).find(({ value }) => satisfies(error.node, value, lookup));
}

/**
 * Returns how to write a value of the wrong type: so that the schema accepts it, or at least as the object or array
 * that a string holds, whatever else is wrong with that.
 */
export function rewritingOf(error: SchemaError, lookup: Lookup): string | undefined {
  const other = rewriting(error, lookup)?.message;
  if (other !== undefined || error.keyword !== "type") return other;
  const { data, params } = error;
  const types = [params["type"]].flat().map(String);
  const held = heldIn(data, types, lookup);
  return held && itself(held);
}

/** Returns whether a property that may be optional is present with a value that says nothing. */
export function mayBeLeftOut(error: SchemaError): boolean {
  const { data, instancePath } = error;
  return (data === null || data === "") && instancePath !== "" && !isRequired(error);
}

function rewritten(error: SchemaError, lookup: Lookup): Suggestion[] {
  const { instancePath: path } = error;
  const fitting = rewriting(error, lookup);
  if (fitting !== undefined) {
    const { message, told, value } = fitting;
    return [{ path, message, ...(told ? { value } : {}) }];
  }
  const other = rewritingOf(error, lookup);
  if (other !== undefined) return [{ path, message: other }];
  return mayBeLeftOut(error) ? [{ path, message: "leave it out if it is not required" }] : [];
}

function suggestionsFor(error: SchemaError, values: boolean, lookup: Lookup): Suggestion[] {
  if (isAboutName(error)) return [];
  const { additionalProperty, unevaluatedProperty, missingProperty } = error.params;
  const unknown = additionalProperty ?? unevaluatedProperty;
  if (typeof unknown === "string") {
    const names = lookup.namesOf(error);
    return renaming(error, unknown, names.nearestTo(unknown), names);
  }
  if (typeof missingProperty === "string") return misspelt(error, missingProperty, lookup);
  const wanted = values ? explained(error.keyword).wants?.(error.params)?.values : undefined;
  return wanted === undefined || wanted.length === 0 ? [] : allowed(error, wanted, lookup);
}

function byDefault(error: SchemaError, lookup: Lookup): Suggestion[] {
  const found = defaultFor(error, lookup);
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
 * `default`, if it is small and valid. Makes at most 20, and fewer if finding them would take long ({@link Lookup}).
 * @param values whether to show values: false if a double does not hold what the schema's text says.
 */
export function suggest(errors: readonly SchemaError[], values: boolean): readonly Suggestion[] {
  const found = new Map<string, Suggestion>();
  const lookup = new Lookup();
  let tried = 0;
  for (const error of errors) {
    if (found.size >= MAX_SUGGESTIONS) break;
    const all = suggestionsFor(error, values, lookup);
    if (values && !isAboutName(error) && tried < MAX_REWRITTEN) {
      tried++;
      if (explained(error.keyword).isRewritable === true) all.push(...rewritten(error, lookup));
      all.push(...byDefault(error, lookup));
    }
    for (const suggestion of all.slice(0, MAX_SUGGESTIONS - found.size)) {
      const path = cut(suggestion.path, 4096);
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

/** Maximum number of schemas examined for one place. */
const MAX_NODES = 64;

/**
 * Returns whether the schema requires the property that an error is about, whatever the value is: by `required`,
 * directly or through references and `allOf`. Conditional requirements do not count.
 */
export function isRequired({ root, instancePath }: SchemaError): boolean {
  const tokens = pointerTokens(instancePath);
  const name = tokens.pop();
  if (name === undefined) return false;
  let nodes = alwaysApplied(root);
  for (const token of tokens) {
    const below = nodes
      .map((node) => surelyBelow(node, token))
      .filter((node) => node !== undefined);
    nodes = below.flatMap(alwaysApplied).slice(0, MAX_NODES);
  }
  return nodes.some(({ required }) => required?.includes(name));
}
