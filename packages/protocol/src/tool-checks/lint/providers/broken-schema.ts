import {
  compileDeclared,
  fragmentTokens,
  isObject,
  type JsonObject,
  valueAt,
} from "@touchstone/core/advanced";
import { quotedAuthorText } from "../finding.ts";
import { PLACES_PER_STEP, type Subschema } from "../walk.ts";
import { patternsOf } from "./patterns.ts";
import type { ProviderFound } from "./provider.ts";
import { pythonFault } from "./python-pattern.ts";

/** A fault of a schema that affects anyone who reads it; `path` begins with the path of its place. */
export interface BrokenSchema extends Pick<ProviderFound, "path" | "message" | "fix"> {
  readonly rule: "schema" | "unresolved-reference" | "pattern";
}

const MEND =
  "Write there what JSON Schema allows: draft 2020-12, or the dialect that $schema names.";
const DEFINE =
  "Put the schema that is meant under $defs and refer to it there, or leave the reference out.";

/** Returns the fault by the dialect that the schema names, or by 2020-12 if that dialect is unknown. */
function faultOf(schema: JsonObject): ReturnType<typeof compileDeclared>["error"] {
  const { error: fault } = compileDeclared({ value: schema });
  if (fault?.code !== "unknown_dialect") return fault;
  const { $schema: _, ...rest } = schema;
  return compileDeclared({ value: rest }).error;
}

/**
 * Finds all references by JSON pointer that lead nowhere. Compilation stops at the first one, and does not reach any
 * if the metaschema objects.
 */
function danglingIn(places: readonly Subschema[]): (place: Subschema) => readonly BrokenSchema[] {
  const [top, ...others] = places;
  // If a nested schema is a document of its own, pointers in it start there.
  const isOne = others.every(({ schema: { $id, id } }) => ($id ?? id) === undefined);
  if (top === undefined || !isOne) return () => [];
  return ({ schema: { $ref }, path }) => {
    if (typeof $ref !== "string" || !/^#(?:\/|$)/.test($ref)) return [];
    const tokens = fragmentTokens($ref);
    const target = tokens === undefined ? undefined : valueAt(top.schema, tokens);
    if (isObject(target?.value) || typeof target?.value === "boolean") return [];
    const where = target === undefined ? "nothing in the schema" : "something that is not a schema";
    const message = `the reference ${quotedAuthorText($ref)} leads to ${where}`;
    return [{ path: `${path}/$ref`, rule: "unresolved-reference", message, fix: DEFINE }];
  };
}

/**
 * Finds patterns that are valid regular expressions neither in ECMA-262 nor in Python, so that no engine accepts
 * them.
 */
function noPatterns({ schema, path }: Subschema): readonly BrokenSchema[] {
  return patternsOf(schema).flatMap(([source, at]): BrokenSchema[] => {
    const fault = isPattern(source) ? undefined : pythonFault(source);
    if (fault === undefined) return [];
    const message = `the pattern ${quotedAuthorText(source)} is not a regular expression: ${fault}`;
    const fix = "Write the pattern as a regular expression of ECMA-262.";
    return [{ path: path + at, rule: "pattern", message, fix }];
  });
}

/** Returns whether a text is a regular expression of ECMA-262, with or without the flag `u`. */
function isPattern(source: string): boolean {
  return ["u", ""].some((flags) => {
    try {
      new RegExp(source, flags);
      return true;
    } catch {
      return false;
    }
  });
}

/**
 * Finds places where a schema is not valid JSON Schema, patterns that are not regular expressions, and references that
 * lead nowhere. A receiver of such a schema either refuses it or cannot know what it requires. Each place is reported
 * once. Takes steps of a few milliseconds, except that the schema is compiled in one.
 * @param places the schema and those in it
 * @param compiles whether the schema is compiled; if not, what its metaschema refuses is not found
 */
export function* brokenSteps(
  places: readonly Subschema[],
  compiles: boolean = true,
): Generator<void, readonly BrokenSchema[], void> {
  const [top] = places;
  if (top === undefined) return [];
  const fault = compiles ? faultOf(top.schema) : undefined;
  yield;
  const found = new Map<string, BrokenSchema>();
  for (const look of [danglingIn(places), noPatterns]) {
    for (const [at, place] of places.entries()) {
      for (const each of look(place)) found.set(each.path, each);
      if ((at + 1) % PLACES_PER_STEP === 0) yield;
    }
  }
  for (const { code, path, message } of fault?.details ?? (fault === undefined ? [] : [fault])) {
    const at = top.path + path;
    if (found.has(at)) continue;
    if (code === "metaschema") {
      const text = `this is not a valid JSON Schema: ${message}`;
      found.set(at, { path: at, rule: "schema", message: text, fix: MEND });
    } else if (code === "unresolved_reference") {
      found.set(at, { path: at, rule: "unresolved-reference", message, fix: DEFINE });
    }
  }
  return [...found.values()];
}
