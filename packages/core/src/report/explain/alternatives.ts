import { closestOf, type FailedBranch } from "../../engine/closest.ts";
import { joinPointer, unescapePointer } from "../../json/pointer.ts";
import type { AllowedValues } from "../../keywords/explain.ts";
import type { SchemaNode } from "../../keywords/node.ts";
import { fieldPath } from "../issues/issue.ts";
import type { Fact } from "./fact.ts";
import type { IssueBranch, IssueTree } from "./tree.ts";

/** Maximum number of members to examine for one that distinguishes the branches. */
const MAX_NAMES = 16;

/** Returns the facts that the issues of one branch amount to. */
export type BranchFacts = (trees: readonly IssueTree[]) => readonly Fact[];

/** A failed branch of an `anyOf` or `oneOf`, and what can be said about it. */
export interface Alternative extends FailedBranch {
  readonly branch: IssueBranch;
  readonly node: SchemaNode;
  readonly facts: readonly Fact[];
  /** What the branch wants at the place of the composite itself. */
  readonly wanted: AllowedValues | undefined;
}

/** Returns what a branch wants at the place of the composite itself; values take precedence over types. */
function wantedAt(facts: readonly Fact[], path: string): AllowedValues | undefined {
  const here = facts.filter((fact) => fact.kind === "wanted" && fact.path === path);
  const exact = here.find(({ wanted }) => (wanted?.values.length ?? 0) > 0);
  return (exact ?? here[0])?.wanted;
}

/** Returns the members of the value at a path that are missing or should be something else. */
function membersAt(facts: readonly Fact[], path: string): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { path: at, kind } of facts) {
    if (names.size >= MAX_NAMES) break;
    const isBelow = (kind === "wanted" || kind === "missing") && at.startsWith(`${path}/`);
    const token = at.slice(path.length + 1);
    if (isBelow && !token.includes("/")) names.add(unescapePointer(token));
  }
  return names;
}

function alternativeOf(branch: IssueBranch, facts: readonly Fact[], path: string): Alternative {
  const wanted = wantedAt(facts, path);
  const missing = facts.filter(({ kind }) => kind === "missing" || kind === "missing_any");
  return {
    branch,
    node: branch.node,
    facts,
    wanted,
    here: wanted !== undefined,
    names: membersAt(facts, path),
    count: facts.length,
    depth: Math.max(0, ...facts.map((fact) => fact.path.split("/").length)),
    missing: missing.length,
  };
}

/** Returns the branches of an `anyOf` or `oneOf` that were tried and failed at a path. */
export function alternativesOf(
  { branches }: IssueTree,
  path: string,
  factsOf: BranchFacts,
): readonly Alternative[] {
  return branches.map((branch) => alternativeOf(branch, factsOf(branch.issues), path));
}

/**
 * Returns the issues of a failed `anyOf` or `oneOf` that are about the value that was meant. These are the issues of
 * the chosen branch, if it allows such a value at all; otherwise those of the branches that come closest. If the member
 * that distinguishes the branches fits none of them, returns only what is wrong with that member, once.
 * @param factsOf returns the facts that the issues of one branch amount to
 * @param chosen the index of a branch
 */
export function closestTrees(
  tree: IssueTree,
  factsOf: BranchFacts,
  chosen: number | undefined,
): readonly IssueTree[] {
  const path = fieldPath(tree.issue);
  const all = alternativesOf(tree, path, factsOf);
  const picked = all.find(({ branch, here }) => branch.index === chosen && !here);
  if (picked !== undefined) return picked.branch.issues;
  const { closest, member } = closestOf(all, () => {});
  const trees = closest.flatMap(({ branch }) => branch.issues);
  if (member === undefined) return trees;
  const at = joinPointer(path, member);
  const own = trees.filter(({ issue }) => fieldPath(issue) === at);
  return own.length === 0 ? trees : own.slice(0, 1);
}
