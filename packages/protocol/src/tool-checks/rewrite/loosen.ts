import { isObject, type JsonObject } from "@touchstone/core/advanced";
import { acceptsKeyword } from "../lint/providers/accepted-keywords.ts";
import type { Provider } from "../lint/providers/provider.ts";
import { acceptedFormats } from "../lint/providers/provider-findings.ts";
import { withoutKeywords } from "./map-schemas.ts";

/** Keywords that only refuse values, so that a schema without one accepts at least the same. */
const CONSTRAINTS: readonly string[] = [
  ..."format minLength maxLength pattern minimum maximum exclusiveMinimum exclusiveMaximum".split(
    " ",
  ),
  ..."multipleOf minItems maxItems uniqueItems minProperties maxProperties propertyNames".split(
    " ",
  ),
  ..."dependentRequired dependentSchemas dependencies not additionalProperties".split(" "),
  ..."unevaluatedProperties unevaluatedItems additionalItems const contentSchema".split(" "),
];
/** Keywords that depend on another one, and are removed with it. */
const TOGETHER: Readonly<Record<string, readonly string[]>> = {
  contains: ["minContains", "maxContains"],
  if: ["then", "else"],
  // If these stayed, they would refuse the properties that the patterns allowed.
  patternProperties: ["additionalProperties", "unevaluatedProperties"],
};
/** Rules whose findings name the keyword that is refused, if that keyword is a constraint. */
const OF_KEYWORDS = ["number-range", "pattern"] as const;

/** Removes constraints that a provider refuses. */
export function dropConstraints(
  schema: JsonObject,
  provider: Provider,
  isTop: boolean,
): JsonObject {
  const isRefused = (keyword: string): boolean =>
    Object.hasOwn(schema, keyword) && !acceptsKeyword(provider, keyword, isTop);
  const gone = CONSTRAINTS.filter(isRefused);
  for (const [keyword, others] of Object.entries(TOGETHER)) {
    if ([keyword, ...others.filter((each) => each !== "additionalProperties")].some(isRefused)) {
      gone.push(keyword, ...others);
    }
  }
  if (isTop) gone.push(...droppedAtTop(schema, provider));
  for (const rule of OF_KEYWORDS) {
    for (const { at = "", severity } of provider.places[rule]?.({ schema }, isTop) ?? []) {
      // A pattern that only some releases refuse is kept. A bound is removed in that case too, because no tool needs
      // it.
      if (rule === "pattern" && severity === "warning") continue;
      gone.push(at.slice(1).split("/")[0] ?? "");
    }
  }
  if (acceptedFormats(provider, schema) !== undefined) gone.push("format");
  return withoutKeywords(schema, gone);
}

function droppedAtTop(schema: JsonObject, provider: Provider): readonly string[] {
  const found = provider.places["top-level"]?.({ schema }, true) ?? [];
  const keywords = found.map(({ at = "" }) => at.slice(1));
  return keywords.some((keyword) => keyword !== "not")
    ? [...keywords, "if", "then", "else"]
    : keywords;
}

/** Writes a tuple as an array whose items may be any of those that it lists. */
export function tupleToItems(schema: JsonObject, provider: Provider): JsonObject {
  const keyword = Array.isArray(schema["items"]) ? "items" : "prefixItems";
  const places = schema[keyword];
  const isTaken =
    keyword === "prefixItems"
      ? acceptsKeyword(provider, keyword)
      : provider.places["array-items"] === undefined && provider.only2020 !== true;
  if (!Array.isArray(places) || isTaken) return schema;
  const rest = keyword === "items" ? schema["additionalItems"] : schema["items"];
  const others = rest === undefined || rest === true ? [true] : rest === false ? [] : [rest];
  const branches = distinctValues([...places, ...others]);
  const isAny = branches.some((branch) => branch === true || isEmptySchema(branch));
  const { maxItems } = schema;
  const most = rest === false && maxItems === undefined && { maxItems: places.length };
  return {
    ...withoutKeywords(schema, ["prefixItems", "items", "additionalItems"]),
    items: isAny ? {} : branches.length === 1 ? branches[0] : { anyOf: branches },
    ...(most || {}),
  };
}

function isEmptySchema(schema: unknown): boolean {
  return isObject(schema) && Object.keys(schema).length === 0;
}

/** Returns the values without those whose JSON text is that of an earlier one. */
export function distinctValues(values: readonly unknown[]): readonly unknown[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
}

/** Writes `oneOf` as `anyOf`, though a value may fit two of its branches. */
export function oneOfToAnyOf(schema: JsonObject, provider: Provider, isTop: boolean): JsonObject {
  const { oneOf, anyOf } = schema;
  if (acceptsKeyword(provider, "oneOf") || isTop || !Array.isArray(oneOf)) return schema;
  const rest = withoutKeywords(schema, ["oneOf"]);
  return anyOf === undefined ? { ...rest, anyOf: oneOf } : rest;
}

/** Removes `allOf` from a schema whose provider refuses it, and keeps the declarations of members in its parts. */
export function spreadAllOf(schema: JsonObject, provider: Provider, isTop: boolean): JsonObject {
  const { allOf } = schema;
  if (acceptsKeyword(provider, "allOf", isTop) || !Array.isArray(allOf)) return schema;
  const made: Record<string, unknown> = { ...withoutKeywords(schema, ["allOf"]) };
  const properties = new Map(
    isObject(schema["properties"]) ? Object.entries(schema["properties"]) : [],
  );
  const required = new Set<unknown>(Array.isArray(schema["required"]) ? schema["required"] : []);
  let opens = false;
  for (const part of allOf) {
    if (!isObject(part)) continue;
    for (const [keyword, held] of Object.entries(part)) {
      if (!OF_PARTS.has(keyword) && !Object.hasOwn(made, keyword)) made[keyword] = held;
    }
    const { properties: more, required: names } = part;
    for (const name of Array.isArray(names) ? names : []) required.add(name);
    if (!isObject(more)) continue;
    opens = true;
    for (const [name, held] of Object.entries(more)) {
      if (!properties.has(name)) properties.set(name, held);
    }
  }
  if (properties.size > 0) made["properties"] = Object.fromEntries(properties);
  if (required.size > 0) made["required"] = [...required];
  // A closed schema would refuse members that only the parts declared, so it is opened.
  return opens ? withoutKeywords(made, ["additionalProperties", "unevaluatedProperties"]) : made;
}

/** Keywords that are collected from the parts of `allOf`, or that concern only the members of the part itself. */
const OF_PARTS: ReadonlySet<string> = new Set(
  "properties required additionalProperties unevaluatedProperties $ref".split(" "),
);

/** Removes properties whose schema is `false`, if the provider does not accept boolean schemas. */
export function dropImpossible(schema: JsonObject, provider: Provider): JsonObject {
  const { properties } = schema;
  if (provider.places["boolean-schema"] === undefined || !isObject(properties)) return schema;
  const kept = Object.entries(properties).filter(([, held]) => held !== false);
  if (kept.length === Object.keys(properties).length) return schema;
  return { ...schema, properties: Object.fromEntries(kept) };
}

/** Removes undeclared properties from `required`, if the provider refuses them there. */
export function requireDeclared(schema: JsonObject, provider: Provider): JsonObject {
  const { required, properties } = schema;
  if (provider.places["required-undeclared"] === undefined || !Array.isArray(required)) {
    return schema;
  }
  const declared = isObject(properties) ? properties : {};
  const kept = required.filter((name) => Object.hasOwn(declared, String(name)));
  if (kept.length === required.length) return schema;
  return kept.length === 0 ? withoutKeywords(schema, ["required"]) : { ...schema, required: kept };
}
