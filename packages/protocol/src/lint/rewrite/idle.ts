import { isObject } from "@touchstone/core";

function isAnything(value: unknown): boolean {
  return value === true || (isObject(value) && Object.keys(value).length === 0);
}

/** Values of keywords by which they check nothing. */
export const IDLE: Readonly<Record<string, (value: unknown) => boolean>> = {
  additionalProperties: isAnything,
  unevaluatedProperties: isAnything,
  unevaluatedItems: isAnything,
  propertyNames: (value) =>
    isAnything(value) ||
    (isObject(value) && value["type"] === "string" && Object.keys(value).length === 1),
  uniqueItems: (value) => value === false,
  minLength: (value) => value === 0,
  minProperties: (value) => value === 0,
  allOf: (value) => Array.isArray(value) && value.every(isAnything),
};
