import type { Dialect } from "./dialect.ts";

/** How a keyword holds subschemas. */
export type Holding = "schema" | "schemas" | "map" | "data" | "dropped";

/**
 * Keywords by what they hold: one schema or a list of them (`schema`, which `items` and
 * `additionalItems` need), a list (`schemas`), names with a schema each (`map`), or plain data that
 * no one may read as a schema (`data`; `dropped` where Ajv would). Every other keyword is unknown.
 */
const HOLDINGS: ReadonlyMap<string, Holding> = new Map<string, Holding>([
  ["additionalItems", "schema"],
  ["additionalProperties", "schema"],
  ["contains", "schema"],
  ["contentSchema", "schema"],
  ["else", "schema"],
  ["if", "schema"],
  ["items", "schema"],
  ["not", "schema"],
  ["propertyNames", "schema"],
  ["then", "schema"],
  ["unevaluatedItems", "schema"],
  ["unevaluatedProperties", "schema"],
  ["allOf", "schemas"],
  ["anyOf", "schemas"],
  ["oneOf", "schemas"],
  ["prefixItems", "schemas"],
  ["$defs", "map"],
  ["definitions", "map"],
  ["dependencies", "map"],
  ["dependentSchemas", "map"],
  ["patternProperties", "map"],
  ["properties", "map"],
  ["const", "data"],
  ["default", "data"],
  ["dependentRequired", "data"],
  ["enum", "data"],
  ["required", "data"],
  ["type", "data"],
  // Ajv looks for "$id" in examples, too.
  ["examples", "dropped"],
  // Vendor keywords with which Ajv would change a verdict.
  ["$async", "dropped"],
  ["nullable", "dropped"],
]);

/** What Ajv reads in a schema although the dialect does not have it. */
const FOREIGN_ANCHORS: Readonly<Record<Dialect, readonly string[]>> = {
  "draft-04": ["$anchor", "$dynamicAnchor"],
  "draft-06": ["$anchor", "$dynamicAnchor"],
  "draft-07": ["$anchor", "$dynamicAnchor"],
  "2019-09": ["$dynamicAnchor"],
  "2020-12": [],
};

/** Keywords of Ajv's vocabularies for a dialect that the dialect does not have. */
export const FOREIGN_KEYWORDS: Readonly<Record<Dialect, readonly string[]>> = {
  "draft-04": ["const", "contains", "else", "if", "propertyNames", "then"],
  "draft-06": ["else", "id", "if", "then"],
  "draft-07": ["id"],
  "2019-09": ["$dynamicAnchor", "$dynamicRef", "id"],
  "2020-12": ["$recursiveAnchor", "$recursiveRef", "id"],
};

/** How `keyword` holds subschemas; `undefined` where it is unknown. */
export function holdingOf(keyword: string, dialect: Dialect): Holding | undefined {
  if (FOREIGN_ANCHORS[dialect].includes(keyword)) return "dropped";
  if (FOREIGN_KEYWORDS[dialect].includes(keyword)) return undefined;
  return HOLDINGS.get(keyword);
}

/** The keyword that names a schema. */
export function idKeyword(dialect: Dialect): "id" | "$id" {
  return dialect === "draft-04" ? "id" : "$id";
}

/** Whether a `$ref` makes the keywords beside it void (draft-07 Core, section 8.3). */
export function refHidesSiblings(dialect: Dialect): boolean {
  return dialect === "draft-04" || dialect === "draft-06" || dialect === "draft-07";
}
