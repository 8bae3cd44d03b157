import type { Issue } from "../../result.ts";
import { closestTrees } from "./alternatives.ts";
import { factsOf } from "./explain.ts";
import { type IssueTree, issueTrees, isUnion } from "./tree.ts";

/** The index of the chosen branch of a union, by the issue that says that no branch matches. */
export type ChosenBranch = (union: Issue) => number | undefined;

function innerOf(tree: IssueTree, chosen: ChosenBranch): readonly IssueTree[] {
  const { issue, branches } = tree;
  if (isUnion(issue)) return closestTrees(tree, factsOf, chosen(issue));
  return branches.flatMap(({ issues }) => issues);
}

/**
 * Returns the errors of a check, in their order, without those that only say why a value does not match a branch of
 * an `anyOf` or `oneOf` that was not meant. Reports the chosen branch, unless it allows no such value at all;
 * otherwise the branches that come closest, as `explainCheck` finds them. Keeps all errors if they are not the
 * objects that the engine returned.
 */
export function closestIssues(
  errors: readonly Issue[],
  chosen: ChosenBranch = () => undefined,
): readonly Issue[] {
  const kept = (trees: readonly IssueTree[]): readonly Issue[] =>
    trees.flatMap((tree) => [...kept(innerOf(tree, chosen)), tree.issue]);
  return kept(issueTrees(errors));
}
