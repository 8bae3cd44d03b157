import type { Issue } from "../../result.ts";
import { closestTrees } from "./alternatives.ts";
import { factsOf } from "./explain.ts";
import { type IssueTree, issueTrees, isUnion } from "./tree.ts";

/** The index of the branch of a union that somebody chose, by the issue that says that none matches. */
export type ChosenBranch = (union: Issue) => number | undefined;

function innerOf(tree: IssueTree, chosen: ChosenBranch): readonly IssueTree[] {
  const { issue, branches } = tree;
  if (isUnion(issue)) return closestTrees(tree, factsOf, chosen(issue));
  return branches.flatMap(({ issues }) => issues);
}

/**
 * Returns the errors of a check, in their order, less those that only say why a value does not match a branch of an
 * `anyOf` or `oneOf` that was not meant. Of the branches, the one that was chosen is reported, unless it allows no such
 * value at all; else those that come closest, as `explainCheck` finds them. All errors stay where they are not the
 * objects that the engine gave.
 */
export function closestIssues(
  errors: readonly Issue[],
  chosen: ChosenBranch = () => undefined,
): readonly Issue[] {
  const kept = (trees: readonly IssueTree[]): readonly Issue[] =>
    trees.flatMap((tree) => [...kept(innerOf(tree, chosen)), tree.issue]);
  return kept(issueTrees(errors));
}
