import {
  compileDeclared,
  compilePattern,
  dialectOf,
  isObject,
  type JsonObject,
  joinPointer,
  pointerTokens,
  type SchemaError,
  valueAt,
} from "@touchstone/core/advanced";
import { closestKeyword } from "../../keywords.ts";
import { defaultFindings } from "./defaults.ts";
import { type LintRule, quotedAuthorText, type UnassignedFinding } from "./finding.ts";
import { foreignNotation } from "./foreign-pattern.ts";
import { noEffectFindings } from "./no-effect.ts";
import { LOOP_FIX, loopFindings } from "./reference-loops.ts";
import { satisfiableFindings } from "./satisfiable.ts";
import { mayHaveMorePlaces, type Subschema, subschemasOf } from "./walk.ts";

const FAULTS: Readonly<Partial<Record<SchemaError["code"], readonly [LintRule, string]>>> = {
  unknown_dialect: [
    "unknown-dialect",
    "Name a known dialect in $schema, such as https://json-schema.org/draft/2020-12/schema, or leave it out.",
  ],
  unresolved_reference: [
    "unresolved-reference",
    "Put the schema that is meant under $defs and refer to it there; references are never fetched.",
  ],
  reference_loop: ["reference-loop", LOOP_FIX],
  invalid_pattern: ["invalid-pattern", "Write the pattern as a regular expression of ECMA-262."],
};
const FIX: readonly [LintRule, string] = [
  "schema",
  "Fix the schema; until then no call of the tool can be checked.",
];

/** Fixes for keywords that had another form in older drafts, with the type of value that they had there. */
const OLDER: ReadonlyMap<string, readonly [type: string, fix: string]> = new Map([
  [
    "exclusiveMinimum",
    [
      "boolean",
      "Write the bound itself, as a number, and leave minimum out: draft-04 had true here.",
    ],
  ],
  [
    "exclusiveMaximum",
    [
      "boolean",
      "Write the bound itself, as a number, and leave maximum out: draft-04 had true here.",
    ],
  ],
  ["required", ["boolean", "Name the property in the required list of the object that holds it."]],
  ["items", ["array", "Write the list as prefixItems: draft 2019-09 and older had it here."]],
]);

/** Returns the fix for a keyword that had another form in an older draft. */
function olderFix(schema: unknown, at: string): string | undefined {
  const tokens = pointerTokens(at) ?? [];
  const older = OLDER.get(tokens.at(-1) ?? "");
  const held = older && isObject(schema) ? valueAt(schema, tokens)?.value : undefined;
  const type = Array.isArray(held) ? "array" : typeof held;
  return older !== undefined && type === older[0] ? older[1] : undefined;
}

function compileFindings(schema: unknown, path: string): readonly UnassignedFinding[] {
  const { error: fault, warnings } = compileDeclared({ value: schema });
  if (fault !== undefined) {
    return (fault.details ?? [fault]).map(({ code, message, path: at }): UnassignedFinding => {
      const [rule, fix] = FAULTS[code] ?? FAULTS[fault.code] ?? FIX;
      const older = code === "metaschema" ? olderFix(schema, at) : undefined;
      return { path: path + at, rule, severity: "error", message, fix: older ?? fix };
    });
  }
  return warnings.map(({ path: at, message }) => ({
    path: path + at,
    rule: "unknown-format",
    severity: "warning",
    message,
    fix: "Use a format that JSON Schema defines, or a pattern; this one checks nothing.",
  }));
}

function keywordFindings({ schema, path }: Subschema): readonly UnassignedFinding[] {
  return Object.keys(schema).flatMap((keyword): UnassignedFinding[] => {
    const meant = closestKeyword(keyword);
    if (meant === undefined) return [];
    return [
      {
        path: joinPointer(path, keyword),
        rule: "mistyped-keyword",
        severity: "warning",
        message: `${quotedAuthorText(keyword)} is not a keyword of JSON Schema and checks nothing`,
        fix: `Write ${meant}, if that is what it should be.`,
      },
    ];
  });
}

/** Keywords that may declare a property elsewhere. */
const ELSEWHERE = ["$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "patternProperties", "if"];

/** Returns whether the test holds for an enclosing schema that applies to the same value. */
function someAround({ around }: Subschema, is: (schema: JsonObject) => boolean): boolean {
  for (let place = around; place !== undefined; place = place.around) {
    if (is(place.schema)) return true;
  }
  return false;
}

/** Keywords with which a schema around a branch may declare properties that its own `properties` does not. */
const AROUND = ["$ref", "$dynamicRef", "allOf", "patternProperties"];

/** Returns whether a schema around a branch declares a property, or may do so. */
function declares(schema: JsonObject, name: string): boolean {
  if (AROUND.some((keyword) => Object.hasOwn(schema, keyword))) return true;
  const { if: condition } = schema;
  return [schema, condition].some(
    (one) => isObject(one) && isObject(one["properties"]) && Object.hasOwn(one["properties"], name),
  );
}

function requiredFindings(place: Subschema): readonly UnassignedFinding[] {
  const { schema, path } = place;
  const { required, properties, additionalProperties } = schema;
  if (!Array.isArray(required) || !isObject(properties)) return [];
  if (ELSEWHERE.some((keyword) => Object.hasOwn(schema, keyword))) return [];
  const closed = additionalProperties === false;
  return required.flatMap((name: unknown, i): UnassignedFinding[] => {
    if (typeof name !== "string" || Object.hasOwn(properties, name)) return [];
    // If the branch itself forbids the property, no schema around it can allow it.
    if (!closed && someAround(place, (each) => declares(each, name))) return [];
    return [
      {
        path: `${path}/required/${i}`,
        rule: "required-undeclared",
        severity: closed ? "error" : "warning",
        message: closed
          ? `the property ${quotedAuthorText(name)} is required and forbidden at once: nothing can satisfy this`
          : `the property ${quotedAuthorText(name)} is required, but properties does not declare it`,
        fix: `Declare ${quotedAuthorText(name)} under properties, or take it out of required.`,
      },
    ];
  });
}

/** Keywords that describe items. */
const ITEMS = ["items", "prefixItems", "contains", "$ref", "const", "enum"];
/** Keywords whose subschemas may describe items. */
const BRANCHES = ["allOf", "anyOf", "oneOf"];

function hasItems(schema: JsonObject, keywords: readonly string[] = ITEMS): boolean {
  return keywords.some((keyword) => Object.hasOwn(schema, keyword));
}

function arrayFindings(place: Subschema): readonly UnassignedFinding[] {
  const { schema, path } = place;
  const isArray = [schema["type"]].flat().includes("array");
  if (!isArray || hasItems(schema) || hasItems(schema, BRANCHES)) return [];
  if (someAround(place, (each) => hasItems(each))) return [];
  return [
    {
      path,
      rule: "array-without-items",
      severity: "warning",
      message: "an array does not declare its items; some model providers refuse such a schema",
      fix: "Add items, if only as {}.",
    },
  ];
}

/** Returns whether a backtracking engine is known to match the pattern in linear time. */
function isSafe(source: string): boolean {
  try {
    return compilePattern(source).isNative;
  } catch {
    // An invalid pattern was already reported when the schema was compiled.
    return true;
  }
}

/** Returns whether a pattern is valid only without the flag `u`. */
function needsNoFlag(source: string): boolean {
  const compiles = (flags: string): boolean => {
    try {
      new RegExp(source, flags);
      return true;
    } catch {
      return false;
    }
  };
  return !compiles("u") && compiles("");
}

/**
 * JSON Schema asks for patterns that are valid with the flag `u` (2020-12 Core, section 6.4). Ajv compiles them with
 * it, also in clients that check results.
 */
function flagFinding(
  [source, path]: readonly [string, string],
  input: boolean,
): readonly UnassignedFinding[] {
  const foreign = foreignNotation(source);
  if (foreign !== undefined) {
    const { written, meaning, instead } = foreign;
    return [
      {
        path,
        rule: "foreign-pattern",
        severity: "warning",
        message: `the pattern ${quotedAuthorText(source)} has ${written} of another language; in JSON Schema (ECMA-262) it means ${meaning}`,
        fix: `Here, ${instead}.`,
      },
    ];
  }
  if (!needsNoFlag(source)) return [];
  return [
    {
      path,
      rule: "pattern-flags",
      severity: input ? "info" : "warning",
      message: `the pattern ${quotedAuthorText(source)} is valid without the flag "u" only; ${
        input
          ? "some validators refuse the schema"
          : "clients built on the MCP SDKs refuse every call"
      }`,
      fix: "Escape only what has a meaning: / and - outside of a class need no backslash, and [ and - in a class do.",
    },
  ];
}

function patternFindings(
  { schema, path }: Subschema,
  input: boolean,
): readonly UnassignedFinding[] {
  const { pattern, patternProperties } = schema;
  const sources: (readonly [string, string])[] = [];
  if (typeof pattern === "string") sources.push([pattern, `${path}/pattern`]);
  if (isObject(patternProperties)) {
    for (const source of Object.keys(patternProperties)) {
      sources.push([source, joinPointer(`${path}/patternProperties`, source)]);
    }
  }
  const slow = sources
    .filter(([source]) => !isSafe(source))
    .map(
      ([source, at]): UnassignedFinding => ({
        path: at,
        rule: "slow-pattern",
        severity: "warning",
        message: `the pattern ${quotedAuthorText(source)} is not known to be linear: an engine that backtracks may hang on it`,
        fix: "Avoid nested quantifiers, and adjacent quantifiers or alternatives, that match the same text.",
      }),
    );
  return [...slow, ...sources.flatMap((one) => flagFinding(one, input))];
}

/** Characters of a URI reference (RFC 3986, section 4.1), with a fragment that has no brackets. */
const URI_REFERENCE =
  /^(?:[\w.~:/?[\]@!$&'()*+,;=-]|%[\dA-Fa-f]{2})*(?:#(?:[\w.~:/?@!$&'()*+,;=-]|%[\dA-Fa-f]{2})*)?$/;

/** Finds references that are not URI references (2020-12 Core, section 8.2.3.1). */
function referenceFindings({ schema, path }: Subschema): readonly UnassignedFinding[] {
  return ["$ref", "$dynamicRef"].flatMap((keyword): UnassignedFinding[] => {
    const reference = schema[keyword];
    if (typeof reference !== "string" || URI_REFERENCE.test(reference)) return [];
    return [
      {
        path: joinPointer(path, keyword),
        rule: "reference-form",
        severity: "warning",
        message: `the reference ${quotedAuthorText(reference)} is not a URI reference (RFC 3986); Touchstone follows it, and stricter clients refuse the schema`,
        fix: `Write ${quotedAuthorText(escaped(reference))}, or give the definition a name of letters and digits.`,
      },
    ];
  });
}

/** Returns a reference in which the characters that a URI cannot contain are percent-encoded. */
function escaped(reference: string): string {
  const [before = "", ...fragment] = reference.toWellFormed().split("#");
  const encode = (text: string): string =>
    text.replace(/%(?![\dA-Fa-f]{2})|[^\w.~:/?@!$&'()*+,;=%-]/gu, encodeURIComponent);
  return fragment.length === 0 ? encode(before) : `${encode(before)}#${encode(fragment.join("#"))}`;
}

/** The URI of each dialect as its specification writes it. */
const DIALECT_URIS: ReadonlySet<string> = new Set([
  "https://json-schema.org/draft/2020-12/schema",
  "https://json-schema.org/draft/2019-09/schema",
  "http://json-schema.org/draft-07/schema",
  "http://json-schema.org/draft-06/schema",
  "http://json-schema.org/draft-04/schema",
]);

/** Finds dialects that are known here by a spelling that other validators do not know. */
function dialectFindings({ schema, path }: Subschema): readonly UnassignedFinding[] {
  const { $schema } = schema;
  if (typeof $schema !== "string" || DIALECT_URIS.has($schema.replace(/#$/, ""))) return [];
  const dialect = dialectOf($schema);
  if (dialect === undefined) return [];
  const official = [...DIALECT_URIS].find((uri) => dialectOf(uri) === dialect) ?? "";
  return [
    {
      path: joinPointer(path, "$schema"),
      rule: "dialect-spelling",
      severity: "warning",
      message: `${quotedAuthorText($schema)} is read as ${dialect} here; clients that compare the URI do not know it, and refuse the schema`,
      fix: `Write ${official}, or leave $schema out for 2020-12.`,
    },
  ];
}

function describedFindings({ schema, path, property }: Subschema): readonly UnassignedFinding[] {
  if (!property) return [];
  const { description, title, $ref } = schema;
  if ([description, title, $ref].some((text) => typeof text === "string" && text !== "")) return [];
  return [
    {
      path,
      rule: "parameter-description",
      severity: "info",
      message: "the parameter has no description; a model has only its name to go by",
      fix: "Add a description.",
    },
  ];
}

/**
 * Returns the findings for one schema of a tool.
 * @param path RFC 6901 pointer to it in the tool
 * @param input whether callers have to satisfy it, so that its properties need descriptions
 */
export function schemaFindings(
  schema: unknown,
  path: string,
  input: boolean,
): readonly UnassignedFinding[] {
  const places = isObject(schema) ? subschemasOf(schema, path) : [];
  const top = isObject(schema) ? schema : {};
  const broken = compileFindings(schema, path);
  // A schema that requires a property and also forbids it is reported by another rule.
  const isNotTold = (place: Subschema): boolean =>
    !requiredFindings(place).some(({ severity }) => severity === "error");
  const loops = [...loopFindings(places, top)];
  const isUsable = loops.length === 0 && !broken.some(({ severity }) => severity === "error");
  // The findings of {@link loopFindings} also name the reference, and not only the schema.
  const isNamed = ({ rule }: UnassignedFinding): boolean =>
    rule === "reference-loop" && loops.length > 0;
  return [
    ...broken.filter((each) => !isNamed(each)),
    ...loops,
    ...(isUsable ? satisfiableFindings(places.filter(isNotTold), top, path) : []),
    ...(isUsable ? defaultFindings(places, top, path) : []),
    ...(mayHaveMorePlaces(places) ? [notExamined(path, places.length)] : []),
    ...places.flatMap((place) => [
      ...referenceFindings(place),
      ...dialectFindings(place),
      ...keywordFindings(place),
      ...noEffectFindings(place, top),
      ...requiredFindings(place),
      ...arrayFindings(place),
      ...patternFindings(place, input),
      ...(input ? describedFindings(place) : []),
    ]),
  ];
}

function notExamined(path: string, count: number): UnassignedFinding {
  return {
    path,
    rule: "not-examined",
    severity: "info",
    message: `only the first ${count} subschemas were examined one by one`,
    fix: "Split the tool, or share subschemas under $defs.",
  };
}

/** Returns whether a value is a valid schema, so that it can be examined further. */
export function isSchema(value: unknown): value is JsonObject | boolean {
  return isObject(value) || typeof value === "boolean";
}
