import { cutText } from "../../json/quote.ts";
import type { Issue } from "../../result.ts";
import { derivedIssue } from "../issues/issue.ts";
import { describeIssue, type RootName } from "./sentence.ts";

const MAX_NATIVE = 1024;

/**
 * Returns an issue whose message is the sentence of {@link describeIssue}, and the engine's own message in
 * `nativeMessage`. Every package shows issues in these words, unless the engine's words are requested.
 * @param whole the name for the root
 */
export function worded(issue: Issue, whole?: RootName): Issue {
  const message = describeIssue(issue, whole);
  if (message === issue.message) return issue;
  const nativeMessage = cutText(issue.nativeMessage ?? issue.message, MAX_NATIVE);
  return derivedIssue({ ...issue, message, nativeMessage }, issue);
}
