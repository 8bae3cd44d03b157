import type { KeywordError } from "../../engine/context.ts";
import { errorsOfNode } from "../../engine/engine.ts";
import { explainWithin } from "../explain/explain.ts";
import type { Fact, MovedValue } from "../explain/fact.ts";
import type { RootName } from "../explain/sentence.ts";
import { issueOf } from "../issues/issue.ts";
import type { SuggestionLookup } from "../issues/suggestion-lookup.ts";
import { adviceFor } from "./advice.ts";

/** Maximum number of issues of one moved value, and of lines about all values that one fact moves. */
const MAX_ISSUES = 100;
const MAX_LINES = 5;

function errorsOf({ node, value }: MovedValue, lookup: SuggestionLookup): readonly KeywordError[] {
  try {
    const errors = lookup.attempt((budget) => errorsOfNode(node, value, budget, MAX_ISSUES + 1));
    // An incomplete list is not used: the issues of branches come before that of their union, so a part of the list may
    // not say what is wrong.
    return errors.length > MAX_ISSUES ? [] : errors;
  } catch {
    // The check would take too many steps.
    return [];
  }
}

/** Returns a fact about a part of a value as one about the whole. */
function below(fact: Fact, path: string): Fact {
  const { paths } = fact;
  return {
    ...fact,
    path: path + fact.path,
    ...(paths && { paths: paths.map((one) => path + one) }),
  };
}

/** Returns what is wrong with values at the places to which a fact moves them, a line each; at most 5. */
export function issuesAfterMove(
  fact: Fact,
  lookup: SuggestionLookup,
  whole: RootName,
): readonly string[] {
  const lines: string[] = [];
  for (const placed of fact.placed ?? []) {
    if (lines.length >= MAX_LINES) break;
    const errors = errorsOf(placed, lookup).map((error) => issueOf(error, "field"));
    for (const one of explainWithin({ errors }, lookup)) {
      const line = adviceFor(below(one, placed.path), lookup, whole);
      lines.push(`Then ${line.slice(0, 1).toLowerCase()}${line.slice(1)}`);
    }
  }
  return lines.slice(0, MAX_LINES);
}
