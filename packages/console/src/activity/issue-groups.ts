import type { Issue } from "@touchstone/core";
import type { ActivityRecord } from "@touchstone/gateway/api";

/** The issues of a decision with the same consequence. */
export interface IssueGroup {
  readonly record: ActivityRecord;
  readonly issues: readonly Issue[];
  /** How these issues were repaired; undefined if they were not. */
  readonly repairs: string | undefined;
  /** Whether these issues are why the message was blocked. */
  readonly isBlocking: boolean;
  /** How many further issues the record leaves out. */
  readonly truncated: number;
  /** The position of the first issue, counting all issues of the same direction from 1. */
  readonly first: number;
}

/**
 * Returns the issues of decisions about a call: first those that blocked it, then the others, oldest first. One record
 * may hold both issues that were repaired and, of class `policy`, those of the policy that then applied.
 */
export function issueGroups(records: readonly ActivityRecord[]): readonly IssueGroup[] {
  const groups = records.flatMap(groupsOf);
  const ordered = groups.toSorted((a, b) => Number(b.isBlocking) - Number(a.isBlocking));
  const counts = new Map<string | null, number>();
  return ordered.map((group) => {
    const { direction } = group.record;
    const before = counts.get(direction) ?? 0;
    counts.set(direction, before + group.issues.length);
    return { ...group, first: before + 1 };
  });
}

function groupsOf(record: ActivityRecord): readonly Omit<IssueGroup, "first">[] {
  const { issues, repairs } = record;
  const isBlocking = record.decision === "blocked";
  const truncated = record.truncated ?? 0;
  if (issues.length === 0) return [];
  if (repairs === undefined) return [{ record, issues, repairs, isBlocking, truncated }];
  const isPolicy = ({ rule }: Issue): boolean => rule === "policy";
  const repaired = issues.filter((issue) => !isPolicy(issue));
  const others = issues.filter(isPolicy);
  return [
    { record, issues: repaired, repairs, isBlocking: false, truncated },
    { record, issues: others, repairs: undefined, isBlocking, truncated: 0 },
  ].filter((group) => group.issues.length > 0);
}
