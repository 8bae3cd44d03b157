import {
  acceptsSingleObject,
  acceptsSingleString,
  FILE_SCHEMA,
  type SchemaPart,
  schemaPartBelow,
} from "../settings/sections.ts";
import { isJsonObject, type JsonValue } from "./document.ts";

/**
 * Returns a value of a file in which each list of strings is an array: `"safe"` becomes `["safe"]`. So does an object
 * that stands for a list with one. Everything that the schema does not know stays unchanged, and so does a string
 * with a comma: it may be meant as several names, and a rule with one wrong name would let calls pass.
 * @param part the schema of the value; default: that of a whole file
 */
export function expandSingleValues<T extends JsonValue>(value: T, part?: SchemaPart): T;
export function expandSingleValues(value: JsonValue, part: SchemaPart = FILE_SCHEMA): JsonValue {
  if (typeof value === "string")
    return acceptsSingleString(part) && !value.includes(",") ? [value] : value;
  const below = (inside: JsonValue, step: string | number): JsonValue => {
    const known = schemaPartBelow(part, step);
    return known === undefined ? inside : expandSingleValues(inside, known);
  };
  if (Array.isArray(value)) return value.map(below);
  if (!isJsonObject(value)) return value;
  if (acceptsSingleObject(part)) return [expandSingleValues(value, part.items)];
  return Object.fromEntries(
    Object.entries(value).map(([key, inside]) => [key, below(inside, key)]),
  );
}
