import { joinPointer } from "../../json/pointer.ts";
import { explanationOf } from "../../keywords/index.ts";
import type { Check } from "../../result.ts";
import { nativeOf } from "../issues/issue.ts";
import { SuggestionLookup } from "../issues/suggestion-lookup.ts";
import { compositeFacts, intersectAllowed } from "./composite.ts";
import { type Fact, factOf, isOtherSpelling, propertyOf } from "./fact.ts";
import { type IssueTree, issueTrees } from "./tree.ts";

/**
 * The facts of each list of issues. Without this cache, those of nested branches would be computed once for each level
 * above them.
 */
const known = new WeakMap<readonly IssueTree[], readonly Fact[]>();

/** Returns the facts that issues amount to, in their order, before equal ones are joined. */
export function factsOf(trees: readonly IssueTree[]): readonly Fact[] {
  const before = known.get(trees);
  if (before !== undefined) return before;
  const facts = made(trees);
  known.set(trees, facts);
  return facts;
}

function made(trees: readonly IssueTree[]): readonly Fact[] {
  return trees.flatMap((tree): readonly Fact[] => {
    const { issue, error, branches, size } = tree;
    const own = factOf(issue, error);
    switch (explanationOf(issue.keyword).branches?.are) {
      case "alternatives":
        return compositeFacts(tree, factsOf);
      case "cause": {
        // The branch says what is wrong; the keyword itself only says that something is.
        const inner = factsOf(branches.flatMap(({ issues }) => issues));
        if (inner.length === 0) return [own];
        return inner.map((fact, i) => (i === 0 ? { ...fact, issues: fact.issues + 1 } : fact));
      }
      default:
        // The items that `contains` did not accept are not wrong by themselves.
        return [{ ...own, issues: size }];
    }
  });
}

/** Returns the undeclared name in an object that was most likely meant as a missing one. */
function spelling(fact: Fact, name: string, lookup: SuggestionLookup): string | undefined {
  const spelt = fact.error && lookup.namesOf(fact.error).spellingOf(name);
  return spelt !== undefined && isOtherSpelling(fact, spelt, name, lookup) ? spelt : undefined;
}

/** Joins a missing property with a present one that is spelled differently. */
function renamed(facts: readonly Fact[], lookup: SuggestionLookup): readonly Fact[] {
  const gone = new Set<Fact>();
  const joined = facts.map((fact): Fact => {
    const name = fact.kind === "missing" ? propertyOf(fact) : undefined;
    const spelt = name === undefined ? undefined : spelling(fact, name, lookup);
    if (name === undefined || spelt === undefined) return fact;
    const path = joinPointer(fact.issue.instancePath ?? "", spelt);
    const unknown = facts.find((other) => other.kind === "unknown" && other.path === path);
    if (unknown !== undefined) gone.add(unknown);
    return {
      ...fact,
      kind: "rename",
      path,
      near: name,
      issues: fact.issues + (unknown?.issues ?? 0),
    };
  });
  return joined.filter((fact) => !gone.has(fact));
}

/** Returns facts that say the same thing only once. */
function distinct(facts: readonly Fact[]): readonly Fact[] {
  const seen = new Map<string, Fact>();
  for (const fact of facts) {
    const { kind, path, issue, near } = fact;
    const key = JSON.stringify([kind, path, nativeOf(issue), near]);
    const before = seen.get(key);
    seen.set(key, before === undefined ? fact : { ...before, issues: before.issues + fact.issues });
  }
  return [...seen.values()];
}

/** Joins a type error with an `enum` or `const` error that has the same cause. */
function met(facts: readonly Fact[]): readonly Fact[] {
  const byPath = new Map<string, number>();
  const joined: Fact[] = [];
  for (const fact of facts) {
    const { path, kind, wanted } = fact;
    const index = kind === "wanted" ? byPath.get(path) : undefined;
    const before = index === undefined ? undefined : joined[index];
    const both = wanted && before?.wanted && intersectAllowed(before.wanted, wanted);
    if (!before || index === undefined || wanted === undefined || !both) {
      if (kind === "wanted" && index === undefined) byPath.set(path, joined.length);
      joined.push(fact);
      continue;
    }
    const chosen = wanted.values.length > 0 ? fact : before;
    joined[index] = { ...chosen, wanted: both, issues: before.issues + fact.issues };
  }
  return joined;
}

/**
 * Returns what the errors of a check amount to, in their order. Each pile of an `anyOf` or `oneOf` becomes one fact; so
 * do a misspelled name and the missing name that it was meant to be, and a type and an `enum` that the same value
 * fails. The numbers of issues add up to the errors that the check lists.
 *
 * The checked values and schemas are known only while the check is the object that the engine returned. For a check
 * that was read back from JSON, each issue is reported by itself.
 */
export function explainCheck(check: Pick<Check, "errors">): readonly Fact[] {
  return explainWithin(check, new SuggestionLookup());
}

/** {@link explainCheck}, with a lookup that later reports on the check share. */
export function explainWithin(
  check: Pick<Check, "errors">,
  lookup: SuggestionLookup,
): readonly Fact[] {
  return met(renamed(distinct(factsOf(issueTrees(check.errors))), lookup));
}
