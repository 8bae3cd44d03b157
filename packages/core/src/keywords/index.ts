import type { Rule } from "../result.ts";
import { defaultValue, STRUCTURAL_KEYWORDS, title } from "./annotations.ts";
import { allOf, anyOf, conditional, elseBranch, not, oneOf, thenBranch } from "./composite.ts";
import { maxItems, maxProperties, minItems, minProperties } from "./count.ts";
import { constant, enumeration } from "./equality.ts";
import type { KeywordExplanation } from "./explain.ts";
import { hosts } from "./hosts.ts";
import { contains, items, maxContains, minContains, prefixItems } from "./items.ts";
import type { Keyword, KeywordSpelling } from "./keyword.ts";
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

/** Every keyword that can fail, except `type`, in the order in which Ajv applies them. */
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

/** Keywords that run after all others of their schema. */
export const LAST_KEYWORDS: readonly Keyword[] = [unevaluatedItems, unevaluatedProperties];

/**
 * Every keyword in reading order: if a keyword is read together with another, the other comes first. Reading,
 * writing, walks and explanations all iterate over this list.
 */
export const REGISTRY: readonly Keyword[] = [
  type,
  ...KEYWORDS,
  thenBranch,
  elseBranch,
  maxContains,
  minContains,
  ...LAST_KEYWORDS,
  title,
  defaultValue,
];

/** Every keyword as authors write it, in all dialects, including those of the vocabulary `policy`. */
export const KEYWORD_SPELLINGS: readonly KeywordSpelling[] = [
  ...REGISTRY.flatMap(
    ({ name, vocabulary, since, shape, where, older = [] }): KeywordSpelling[] => {
      const applied = where === undefined ? {} : { where };
      const held = shape.holds === undefined ? {} : { holds: shape.holds };
      const now = { name, vocabulary, since, ...applied, ...held };
      return [...older.map((spelling) => ({ ...applied, ...spelling })), now];
    },
  ),
  ...STRUCTURAL_KEYWORDS,
];

/** The keyword name in issues about undeclared members. A setting raises these, not a keyword of a schema. */
export const UNDECLARED_KEYWORD = "undeclared";

/** Keywords by every name that issues may use, with the class of issues under that name. */
const BY_NAME: ReadonlyMap<string, { readonly keyword: Keyword; readonly rule: Rule }> = new Map(
  REGISTRY.flatMap((keyword) => {
    const { name, issueClass = "value", older = [] } = keyword;
    // A setting that refuses undeclared members reports the same issues as this keyword would around the whole schema.
    const alias =
      keyword === unevaluatedProperties ? [{ name: UNDECLARED_KEYWORD, issueClass }] : [];
    const named = [...older, { name, issueClass }, ...alias];
    return named.map((one) => [one.name, { keyword, rule: one.issueClass ?? issueClass }] as const);
  }),
);

/** Returns the keyword that has this name in issues. */
export function keywordNamed(name: string | undefined): Keyword | undefined {
  return name === undefined ? undefined : BY_NAME.get(name)?.keyword;
}

/** Returns what is known about the issues of a keyword, by its name in issues. */
export function explanationOf(name: string | undefined): KeywordExplanation {
  return keywordNamed(name)?.explain ?? {};
}

/** Returns the class of an issue that a keyword raised. */
export function ruleOfKeyword(keyword: string): Rule {
  return BY_NAME.get(keyword)?.rule ?? "value";
}
