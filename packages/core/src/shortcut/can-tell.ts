import type { KeywordName } from "../keywords/keyword.ts";

/**
 * How the acceptor handles each keyword:
 *
 * - `checked`: it checks values of the types that the keyword is about
 * - `values`: it compares strings, numbers and other scalars, and leaves arrays and objects to the engine
 * - `in place`: it applies the keyword's schemas to the value itself
 * - `unknown`: it leaves values of the types that the keyword is about to the engine
 * - `annotation`: there is nothing to check
 */
export const ACCEPTOR_SUPPORT: Readonly<
  Record<KeywordName, "checked" | "values" | "in place" | "unknown" | "annotation">
> = {
  $dynamicRef: "in place",
  $ref: "in place",
  additionalProperties: "checked",
  allOf: "in place",
  anyOf: "in place",
  const: "values",
  contains: "unknown",
  default: "annotation",
  dependentRequired: "unknown",
  dependentSchemas: "unknown",
  else: "in place",
  enum: "values",
  exclusiveMaximum: "checked",
  exclusiveMinimum: "checked",
  format: "unknown",
  hosts: "unknown",
  if: "in place",
  items: "checked",
  maxContains: "unknown",
  maxItems: "checked",
  maxLength: "checked",
  maxProperties: "checked",
  maximum: "checked",
  minContains: "unknown",
  minItems: "checked",
  minLength: "checked",
  minProperties: "checked",
  minimum: "checked",
  multipleOf: "checked",
  not: "in place",
  oneOf: "in place",
  pattern: "unknown",
  patternProperties: "unknown",
  prefixItems: "checked",
  properties: "checked",
  propertyNames: "checked",
  required: "checked",
  // biome-ignore lint/suspicious/noThenProperty: the name of a keyword
  then: "in place",
  title: "annotation",
  type: "values",
  unevaluatedItems: "unknown",
  unevaluatedProperties: "unknown",
  uniqueItems: "unknown",
  within: "unknown",
};
