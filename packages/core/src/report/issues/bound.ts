import { cutText, utf8Length } from "../../json/quote.ts";
import type { Issue } from "../../result.ts";
import { derivedIssue } from "./issue.ts";

/** Default maximum for all messages of one list together, in bytes of UTF-8. */
export const MAX_MESSAGES = 16_384;
/** Maximum for one message, in UTF-16 code units; longer ones end in `…`. */
const MAX_MESSAGE = 1024;
/** Maximum for one pointer, in UTF-16 code units; longer ones end in `…`. */
const MAX_PATH = 4096;
/** Maximum for all pointers of one list together, in UTF-16 code units, per byte allowed for all messages. */
const PATHS_PER_MESSAGES = 4;

/** The listed issues, and how many more there were. */
export interface BoundedIssues {
  readonly issues: readonly Issue[];
  readonly more: number;
}

/**
 * Lists the first `maxIssues` issues, or fewer if they grow too large. The messages of a list have at most `maxText`
 * bytes together and 1,024 characters each; its paths four times as many characters together and 4,096 each. Longer
 * texts are cut and end in `…`. The first issue is always listed. Which issues are listed depends only on the issues.
 * @param count how many issues there are.
 * @param issue makes the issue at an index; called for the listed ones, and once more.
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

/** Returns an issue with its texts cut, or the issue itself if they are short, as most are. */
function boundIssue(issue: Issue): Issue {
  const { path, message, instancePath } = issue;
  const isShort =
    path.length <= MAX_PATH &&
    message.length <= MAX_MESSAGE &&
    (instancePath?.length ?? 0) <= MAX_PATH;
  if (isShort) return issue;
  const bounded = {
    ...issue,
    path: cutText(path, MAX_PATH),
    message: cutText(message, MAX_MESSAGE),
  };
  if (instancePath !== undefined) bounded.instancePath = cutText(instancePath, MAX_PATH);
  return derivedIssue(bounded, issue);
}
