import type { Rule } from "../result.ts";
import { defaultValue, STRUCTURE, title } from "./annotations.ts";
import { allOf, anyOf, conditional, elseBranch, not, oneOf, thenBranch } from "./composite.ts";
import { maxItems, maxProperties, minItems, minProperties } from "./count.ts";
import { constant, enumeration } from "./equality.ts";
import type { Explained } from "./explain.ts";
import { hosts } from "./hosts.ts";
import { contains, items, maxContains, minContains, prefixItems } from "./items.ts";
import type { Keyword, Spelling } from "./keyword.ts";
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
import { type } from "./type.ts";
import { unevaluatedItems, unevaluatedProperties } from "./unevaluated.ts";
import { uniqueItems } from "./unique-items.ts";
import { within } from "./within.ts";

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
  within,
  hosts,
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

/**
 * Every keyword, in the order in which they are read: one that another is read beside comes first.
 * Reading, writing, walks and explanations fold over this list.
 */
export const REGISTRY: readonly Keyword[] = [
  type,
  ...KEYWORDS,
  thenBranch,
  elseBranch,
  maxContains,
  minContains,
  ...LAST,
  title,
  defaultValue,
];

/** Every keyword as authors write it, in all dialects; those of the vocabulary `policy` too. */
export const SPELLINGS: readonly Spelling[] = [
  ...REGISTRY.flatMap(({ name, vocabulary, since, shape, where, older = [] }): Spelling[] => {
    const applied = where === undefined ? {} : { where };
    const held = shape.holds === undefined ? {} : { holds: shape.holds };
    const now = { name, vocabulary, since, ...applied, ...held };
    return [...older.map((spelling) => ({ ...applied, ...spelling })), now];
  }),
  ...STRUCTURE,
];

/** What issues about undeclared members have for a keyword, which a setting raises and no keyword of a schema. */
export const UNDECLARED = "undeclared";

/** By every name that issues may have for their keyword, with the class of issues under that name. */
const BY_NAME: ReadonlyMap<string, { readonly keyword: Keyword; readonly rule: Rule }> = new Map(
  REGISTRY.flatMap((keyword) => {
    const { name, issueClass = "value", older = [] } = keyword;
    // They are what they would be of this keyword around the whole schema.
    const alias = keyword === unevaluatedProperties ? [{ name: UNDECLARED, issueClass }] : [];
    const named = [...older, { name, issueClass }, ...alias];
    return named.map((one) => [one.name, { keyword, rule: one.issueClass ?? issueClass }] as const);
  }),
);

/** Returns the keyword that issues name so. */
export function keywordNamed(name: string | undefined): Keyword | undefined {
  return name === undefined ? undefined : BY_NAME.get(name)?.keyword;
}

/** Returns what is known of the issues of a keyword, by the name that they have. */
export function explained(name: string | undefined): Explained {
  return keywordNamed(name)?.explain ?? {};
}

/** Returns the class of an issue that a keyword raised. */
export function ruleOf(keyword: string): Rule {
  return BY_NAME.get(keyword)?.rule ?? "value";
}
