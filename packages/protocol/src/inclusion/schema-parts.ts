import { isObject, type JsonObject } from "@touchstone/core/advanced";

/** The kinds of values that JSON Schema distinguishes. Whole numbers and other numbers are two kinds. */
export type Kind = "null" | "boolean" | "object" | "array" | "string" | "integer" | "fraction";
export const KINDS: readonly Kind[] = [
  "null",
  "boolean",
  "object",
  "array",
  "string",
  "integer",
  "fraction",
];

/** Keywords that apply only to values of these kinds. */
export const KEYWORD_KINDS: ReadonlyMap<string, readonly Kind[]> = new Map<string, readonly Kind[]>(
  [
    ...words("minimum maximum exclusiveMinimum exclusiveMaximum multipleOf", [
      "integer",
      "fraction",
    ]),
    ...words("minLength maxLength pattern", ["string"]),
    ...words("minItems maxItems uniqueItems prefixItems items contains unevaluatedItems", [
      "array",
    ]),
    ...words(
      "properties patternProperties additionalProperties propertyNames required minProperties maxProperties " +
        "dependentRequired dependentSchemas unevaluatedProperties",
      ["object"],
    ),
    ["format", ["string", "integer", "fraction"]],
  ],
);

function words(names: string, kinds: readonly Kind[]): [string, readonly Kind[]][] {
  return names.split(" ").map((name) => [name, kinds]);
}

/** Schemas that all apply to the same value. */
export type SchemaParts = readonly JsonObject[];

export const arrayOrEmpty = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : [];
export const objectOrEmpty = (value: unknown): JsonObject => (isObject(value) ? value : {});
export const acceptsEverything = (schema: unknown): boolean =>
  schema === true ||
  (isObject(schema) && Object.keys(schema).every((key) => key.startsWith("$") && key !== "$ref"));

/** Returns the kinds of values that the parts may accept. */
export function kindsOf(parts: SchemaParts): ReadonlySet<Kind> {
  let kinds = new Set<Kind>(KINDS);
  const keep = (allowed: ReadonlySet<Kind>): void => {
    kinds = new Set([...kinds].filter((kind) => allowed.has(kind)));
  };
  for (const { type, ...part } of parts) {
    if (type !== undefined) keep(kindsOfTypes(Array.isArray(type) ? type : [type]));
    const values = listedIn(part);
    if (values !== undefined) keep(new Set(values.map(kindOf)));
    const { multipleOf } = part;
    if (typeof multipleOf === "number" && Number.isInteger(multipleOf)) kinds.delete("fraction");
  }
  return kinds;
}

/** Returns all values that the parts may accept, if they list them. */
export function listedValues(parts: SchemaParts): readonly unknown[] | undefined {
  for (const part of parts) {
    const values = listedIn(part);
    if (values !== undefined) return values;
  }
  const kinds = kindsOf(parts);
  if (![...kinds].every((kind) => kind === "null" || kind === "boolean")) return undefined;
  return [...kinds].flatMap((kind) => (kind === "null" ? [null] : [true, false]));
}

/** Returns the members that the parts require. */
export function requiredBy(parts: SchemaParts): ReadonlySet<string> {
  return new Set(parts.flatMap(({ required }) => arrayOrEmpty(required).map(String)));
}

/** Returns the numbers that the parts have for a keyword. */
export function numbersIn(parts: SchemaParts, keyword: string): readonly number[] {
  return parts.flatMap((part) => (typeof part[keyword] === "number" ? [part[keyword]] : []));
}

/** Returns the tightest of two bounds of a size, such as `minItems` and `maxItems`. */
export function sizeBounds(
  parts: SchemaParts,
  least: string,
  most: string,
): readonly [number, number] {
  return [
    Math.max(0, ...numbersIn(parts, least)),
    Math.min(Number.POSITIVE_INFINITY, ...numbersIn(parts, most)),
  ];
}

/** Returns the schemas that the parts apply to an item. */
export function itemSchemas(parts: SchemaParts, at: number): readonly unknown[] {
  return parts.flatMap(({ prefixItems, items }) => {
    const first = arrayOrEmpty(prefixItems);
    if (at < first.length) return [first[at]];
    return items === undefined ? [] : [items];
  });
}

export function kindsOfTypes(types: readonly unknown[]): ReadonlySet<Kind> {
  return new Set(
    types.flatMap((type): Kind[] => (type === "number" ? ["integer", "fraction"] : [type as Kind])),
  );
}

export function kindOf(value: unknown): Kind {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "fraction";
  return typeof value as Kind;
}

function listedIn(part: JsonObject): readonly unknown[] | undefined {
  if (Object.hasOwn(part, "const")) return [part["const"]];
  return Array.isArray(part["enum"]) ? part["enum"] : undefined;
}

/** Returns whether a part refuses a scalar value because of its type, or because it lists only other values. */
export function refusesScalar(part: JsonObject, value: unknown): boolean {
  const { type } = part;
  if (type !== undefined && !kindsOfTypes(Array.isArray(type) ? type : [type]).has(kindOf(value)))
    return true;
  if (typeof value === "object" && value !== null) return false;
  const listed = listedIn(part);
  return listed !== undefined && !listed.includes(value);
}
