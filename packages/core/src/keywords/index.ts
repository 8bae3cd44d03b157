import type { Rule } from "../result.ts";
import { allOf, anyOf, conditional, not, oneOf } from "./composite.ts";
import { maxItems, maxProperties, minItems, minProperties } from "./count.ts";
import { constant, enumeration } from "./equality.ts";
import { contains, items, prefixItems } from "./items.ts";
import type { Keyword } from "./keyword.ts";
import { exclusiveMaximum, exclusiveMinimum, maximum, minimum, multipleOf } from "./number.ts";
import {
  additionalProperties,
  patternProperties,
  properties,
  propertyNames,
} from "./properties.ts";
import { dynamicRef, ref } from "./reference.ts";
import { dependentRequired, dependentSchemas, required } from "./required.ts";
import { format, maxLength, minLength, numberFormat, pattern } from "./string.ts";
import { unevaluatedItems, unevaluatedProperties } from "./unevaluated.ts";
import { uniqueItems } from "./unique-items.ts";

/** Every keyword that can fail, but for `type`, in the order in which Ajv applies them. */
export const KEYWORDS: readonly Keyword[] = [
  dynamicRef,
  ref,
  constant,
  enumeration,
  not,
  anyOf,
  oneOf,
  allOf,
  conditional,
  maximum,
  minimum,
  exclusiveMaximum,
  exclusiveMinimum,
  multipleOf,
  numberFormat,
  maxLength,
  minLength,
  pattern,
  format,
  maxItems,
  minItems,
  prefixItems,
  items,
  contains,
  uniqueItems,
  maxProperties,
  minProperties,
  required,
  propertyNames,
  additionalProperties,
  properties,
  patternProperties,
  dependentRequired,
  dependentSchemas,
];

/** Those that run after all others of their schema. */
export const LAST: readonly Keyword[] = [unevaluatedItems, unevaluatedProperties];

const CLASSES: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ["type", "type"],
  // Names of earlier drafts.
  ["dependencies", "required"],
  ["additionalItems", "extra"],
  ...[...KEYWORDS, ...LAST].flatMap(({ name, issueClass }): [string, Rule][] =>
    issueClass === undefined ? [] : [[name, issueClass]],
  ),
]);

/** The class of an issue that a keyword raised. */
export function ruleOf(keyword: string): Rule {
  return CLASSES.get(keyword) ?? "value";
}
