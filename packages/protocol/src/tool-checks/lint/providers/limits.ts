import { isObject, type JsonObject } from "@touchstone/core/advanced";
import { mayHaveMorePlaces, type Subschema } from "../walk.ts";
import {
  INPUT_SCHEMA_PATH,
  type Provider,
  type ProviderFound,
  type ProviderRule,
} from "./provider.ts";

function sizeOf(held: unknown): number {
  if (Array.isArray(held)) return held.length;
  return isObject(held) ? Object.keys(held).length : 0;
}

function lengthOf(texts: readonly unknown[]): number {
  return texts.reduce<number>((sum, text) => sum + (typeof text === "string" ? text.length : 0), 0);
}

/** Returns the texts that a model's grammar is built from: names, and strings to choose from. */
function textsOf(schema: JsonObject): readonly unknown[] {
  const named = [schema["properties"], schema["$defs"], schema["definitions"]];
  return [
    ...named.flatMap((held) => (isObject(held) ? Object.keys(held) : [])),
    ...valuesOf(schema),
    schema["const"],
  ];
}

function valuesOf(schema: JsonObject): readonly unknown[] {
  return Array.isArray(schema["enum"]) ? schema["enum"] : [];
}

/** Returns which limits a schema as a whole exceeds. */
export function exceededLimits(
  { title, limits = {} }: Provider,
  places: readonly Subschema[],
): ProviderFound[] {
  const sum = (of: (schema: JsonObject) => number): number =>
    places.reduce((so, { schema }) => so + of(schema), 0);
  const levels = places.reduce((most, { nesting }) => Math.max(most, nesting + 1), 1);
  const measured: readonly (readonly [ProviderRule, string, number, number | undefined])[] = [
    ["nesting", "levels", levels, limits.nesting],
    [
      "property-count",
      "properties",
      sum(({ properties }) => sizeOf(properties)),
      limits.properties,
    ],
    [
      "enum-count",
      "values to choose from",
      sum((schema) => valuesOf(schema).length),
      limits.enumValues,
    ],
    [
      "text-length",
      "characters in names and values",
      sum((schema) => lengthOf(textsOf(schema))),
      limits.characters,
    ],
  ];
  const least = mayHaveMorePlaces(places) ? "at least " : "";
  const whole = measured.flatMap(([rule, what, actual, most]): ProviderFound[] => {
    if (most === undefined || actual <= most) return [];
    const message = `${title} takes ${most} ${what} at most; there are ${least}${actual}`;
    return [{ path: INPUT_SCHEMA_PATH, rule, severity: "error", message, fix: "Split the tool." }];
  });
  return [...whole, ...places.flatMap((place) => longEnumFound(title, limits.longEnum, place))];
}

function longEnumFound(
  title: string,
  limit: NonNullable<Provider["limits"]>["longEnum"],
  { schema, path }: Subschema,
): ProviderFound[] {
  const values = valuesOf(schema);
  const length = lengthOf(values);
  if (limit === undefined || values.length <= limit.values || length <= limit.characters) return [];
  const message = `${title} takes ${limit.characters} characters at most in more than ${limit.values} values to choose from; there are ${length}`;
  const fix = "Use a string, and list the values in the description.";
  return [{ path: `${path}/enum`, rule: "text-length", severity: "error", message, fix }];
}
