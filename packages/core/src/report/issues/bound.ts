import { cut, utf8Length } from "../../json/quote.ts";
import type { Issue } from "../../result.ts";
import { madeOf } from "./issue.ts";

/** All messages of one list together, in bytes of UTF-8, if nothing else is said. */
export const MAX_MESSAGES = 16_384;
/** One message, in UTF-16 code units; longer ones end in `…`. */
const MAX_MESSAGE = 1024;
/** One pointer, in UTF-16 code units; longer ones end in `…`. */
const MAX_PATH = 4096;
/** All pointers of one list together, in UTF-16 code units, for each byte of all messages. */
const PATHS_PER_MESSAGES = 4;

/** Issues as they are listed, and how many there were beside them. */
export interface BoundedIssues {
  readonly issues: readonly Issue[];
  readonly more: number;
}

/**
 * Lists the first `maxIssues` issues, and fewer where they grow too large: the messages of a list
 * are at most `maxText` bytes together and 1,024 characters each, its paths four times as many characters
 * together and 4,096 each; what is longer is cut and ends in `…`. The first issue is always listed. Which
 * ones are depends on nothing but the issues.
 * @param count how many issues there are.
 * @param issue makes the one at an index; called for those that are listed, and once more.
 */
export function boundIssues(
  count: number,
  issue: (index: number) => Issue,
  maxIssues: number,
  maxText: number = MAX_MESSAGES,
): BoundedIssues {
  const issues: Issue[] = [];
  let messages = 0;
  let paths = 0;
  for (let i = 0; i < count && i < maxIssues; i++) {
    const bounded = boundIssue(issue(i));
    messages += utf8Length(bounded.message);
    paths += bounded.path.length;
    if (i > 0 && (messages > maxText || paths > PATHS_PER_MESSAGES * maxText)) break;
    issues.push(bounded);
  }
  return { issues, more: count - issues.length };
}

/** Returns an issue with its texts cut; itself if they are short, which most are. */
function boundIssue(issue: Issue): Issue {
  const { path, message, instancePath } = issue;
  const isShort =
    path.length <= MAX_PATH &&
    message.length <= MAX_MESSAGE &&
    (instancePath?.length ?? 0) <= MAX_PATH;
  if (isShort) return issue;
  const bounded = { ...issue, path: cut(path, MAX_PATH), message: cut(message, MAX_MESSAGE) };
  if (instancePath !== undefined) bounded.instancePath = cut(instancePath, MAX_PATH);
  return madeOf(bounded, issue);
}
