import type { KeywordError } from "../../engine/context.ts";
import { satisfiesNode } from "../../engine/engine.ts";
import { exceedsLimit, measureValue } from "../../json/measure.ts";
import { quoteValue } from "../../json/quote.ts";
import { keywordNamed } from "../../keywords/index.ts";
import { alwaysApplied, propertyNode } from "../../keywords/literals.ts";
import type { SchemaNode } from "../../keywords/node.ts";
import { isAboutPropertyName } from "./issue.ts";
import type { SuggestionBudget } from "./nearest.ts";

/**
 * Returns whether a small value satisfies the schema of one node. Also returns false if that costs too much to find
 * out; never throws.
 */
export function satisfies(node: SchemaNode, value: unknown, effort: SuggestionBudget): boolean {
  try {
    return effort.attempt((budget) => satisfiesNode(node, value, budget));
  } catch {
    return false;
  }
}

/** Maximum bytes and levels of a default that is shown. */
const MAX_BYTES = 1024;
const MAX_LEVELS = 16;
const MAX_SHOWN = 120;

/** A default in a schema: the value, and its JSON text for messages. */
export interface Default {
  readonly value: unknown;
  readonly shown: string;
}

function validDefault(node: SchemaNode | undefined, effort: SuggestionBudget): Default | undefined {
  if (node === undefined) return undefined;
  const found = alwaysApplied(node).find((each) => each.default !== undefined)?.default;
  // A default that no double holds would be shown as another number.
  if (found === undefined || found.decimals !== undefined) return undefined;
  const { value } = found;
  if (exceedsLimit(measureValue(value, MAX_LEVELS, MAX_BYTES)) || !satisfies(node, value, effort)) {
    return undefined;
  }
  return { value, shown: quoteValue(value, MAX_SHOWN) };
}

/**
 * Returns the `default` that the schema has for the subject of an error: the missing property, or the wrong value
 * (2020-12 Validation, section 9.2). Undefined if there is none, if it is large, or if the schema itself does not
 * accept it.
 */
export function defaultFor(error: KeywordError, effort: SuggestionBudget): Default | undefined {
  if (isAboutPropertyName(error)) return undefined;
  const { missingProperty } = error.params;
  if (typeof missingProperty === "string") {
    return validDefault(propertyNode(error.node, missingProperty), effort);
  }
  // A default for the whole object would replace its other members.
  const isAboutMembers = keywordNamed(error.keyword)?.appliesTo === "object";
  return isAboutMembers ? undefined : validDefault(error.node, effort);
}
