import type { KeywordError } from "../../engine/context.ts";
import { explanationOf } from "../../keywords/index.ts";
import type { SchemaNode } from "../../keywords/node.ts";
import type { Issue } from "../../result.ts";
import { engineErrorOf } from "../issues/issue.ts";
import { CompositeErrorGroups } from "./branches.ts";

/** An issue, with the issues that led to it. */
export interface IssueTree {
  readonly issue: Issue;
  readonly error: KeywordError | undefined;
  /** The branches of an `anyOf` or `oneOf`, or the schema that `if`, `contains` … applied. */
  readonly branches: readonly IssueBranch[];
  /** The number of issues in it, including itself. */
  readonly size: number;
}

export interface IssueBranch {
  readonly index: number;
  readonly node: SchemaNode;
  readonly issues: readonly IssueTree[];
}

/**
 * Arranges the issues of a check as trees: the issues that are wrong by themselves, each with the issues of its
 * branches. An issue whose source is not known, such as one that was read back from JSON, is a tree by itself.
 */
export function issueTrees(issues: readonly Issue[]): readonly IssueTree[] {
  const errors = issues.map(engineErrorOf);
  const piles = new CompositeErrorGroups(errors);
  const within = (start: number, end: number): readonly IssueTree[] => {
    const trees: IssueTree[] = [];
    for (let at = end - 1; at >= start; ) {
      const issue = issues[at];
      if (issue === undefined) break;
      const pile = piles.at(at);
      const from = pile?.start ?? at;
      const branches = (pile?.branches ?? []).map(({ index, node, start: first, end: last }) => ({
        index,
        node,
        issues: within(first, last),
      }));
      trees.push({ issue, error: errors[at], branches, size: at - from + 1 });
      at = from - 1;
    }
    return trees.reverse();
  };
  return within(0, issues.length);
}

/** Returns whether an issue says that no branch matches, or more than one does. */
export function isUnion({ keyword }: Pick<Issue, "keyword">): boolean {
  return explanationOf(keyword).branches?.are === "alternatives";
}
