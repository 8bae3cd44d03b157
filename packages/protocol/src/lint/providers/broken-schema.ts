import {
  compileSchema,
  fragmentTokens,
  isObject,
  type JsonObject,
  valueAt,
} from "@touchstone/core";
import { shown } from "../finding.ts";
import type { Place } from "../walk.ts";
import { patternsOf } from "./patterns.ts";
import type { ProviderFound } from "./provider.ts";
import { pythonFault } from "./python-pattern.ts";

/** What is wrong with a schema for whoever reads it; `path` begins with that of its places. */
export interface Broken extends Pick<ProviderFound, "path" | "message" | "fix"> {
  readonly rule: "schema" | "unresolved-reference" | "pattern";
}

const MEND =
  "Write there what JSON Schema allows: draft 2020-12, or the dialect that $schema names.";
const DEFINE =
  "Put the schema that is meant under $defs and refer to it there, or leave the reference out.";

/** By the dialect that the schema names, or 2020-12 if nobody knows that one. */
function faultOf(schema: JsonObject): ReturnType<typeof compileSchema>["fault"] {
  const { fault } = compileSchema({ value: schema });
  if (fault?.code !== "unknown_dialect") return fault;
  const { $schema: _, ...rest } = schema;
  return compileSchema({ value: rest }).fault;
}

/**
 * References by JSON pointer that lead nowhere. All of them: a compilation ends at the first, and does not
 * come to them where the metaschema objects.
 */
function dangling(places: readonly Place[]): readonly Broken[] {
  const [top, ...others] = places;
  // Within a document of its own a pointer begins there.
  const isOne = others.every(({ schema: { $id, id } }) => ($id ?? id) === undefined);
  if (top === undefined || !isOne) return [];
  return places.flatMap(({ schema: { $ref }, path }): Broken[] => {
    if (typeof $ref !== "string" || !/^#(?:\/|$)/.test($ref)) return [];
    const tokens = fragmentTokens($ref);
    const target = tokens === undefined ? undefined : valueAt(top.schema, tokens);
    if (isObject(target?.value) || typeof target?.value === "boolean") return [];
    const where = target === undefined ? "nothing in the schema" : "something that is not a schema";
    const message = `the reference ${shown($ref)} leads to ${where}`;
    return [{ path: `${path}/$ref`, rule: "unresolved-reference", message, fix: DEFINE }];
  });
}

/** Patterns that are regular expressions neither of ECMA-262 nor of Python: no engine takes them. */
function noPatterns(places: readonly Place[]): readonly Broken[] {
  return places.flatMap(({ schema, path }) =>
    patternsOf(schema).flatMap(([source, at]): Broken[] => {
      const fault = isPattern(source) ? undefined : pythonFault(source);
      if (fault === undefined) return [];
      const message = `the pattern ${shown(source)} is not a regular expression: ${fault}`;
      const fix = "Write the pattern as a regular expression of ECMA-262.";
      return [{ path: path + at, rule: "pattern", message, fix }];
    }),
  );
}

/** Returns whether a text is a regular expression of ECMA-262, with the flag `u` or without. */
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
 * Where a schema is not a valid JSON Schema, where its patterns are none, and where its references lead nowhere: whoever gets it either refuses
 * it or cannot tell what it asks for. Each place is reported once.
 * @param places the schema and those in it
 */
export function brokenPlaces(places: readonly Place[]): readonly Broken[] {
  const [top] = places;
  if (top === undefined) return [];
  const fault = faultOf(top.schema);
  const found = new Map(
    [...dangling(places), ...noPatterns(places)].map((each) => [each.path, each]),
  );
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
