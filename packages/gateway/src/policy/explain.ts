import type { Check, Issue, Suggestion } from "@touchstone/core";
import { visible } from "../log.ts";

/** At most this many issues are spelled out; the rest is counted. */
const MAX_LISTED = 10;
const MAX_LINE = 300;
/** A text for a model, in bytes of UTF-8. */
const MAX_TEXT = 16_384;

function place(issue: Issue): string {
  return issue.path === "" ? "(root)" : visible(issue.path, MAX_LINE);
}

function describeIssue(issue: Issue): string {
  const received = issue.params?.["received"];
  const got = issue.keyword === "type" && typeof received === "string" ? `, got ${received}` : "";
  return `${place(issue)} ${visible(issue.message, MAX_LINE)}${got}`;
}

/** One line for logs and records: the first issues, and how many more there are. */
export function summarise(check: Pick<Check, "errors" | "truncated">): string {
  const shown = check.errors.slice(0, 3).map(describeIssue);
  const more = check.errors.length - shown.length + (check.truncated ?? 0);
  return more > 0 ? `${shown.join("; ")}; and ${more} more` : shown.join("; ");
}

/** The issues, then hints, as many as `room` bytes hold; issues that are left out are counted. */
function list(check: Pick<Check, "errors" | "truncated" | "suggestions">, room: number): string[] {
  const lines: string[] = [];
  let left = room;
  const add = (line: string): boolean => {
    left -= Buffer.byteLength(line) + 1;
    if (left >= 0) lines.push(line);
    return left >= 0;
  };
  const issues = check.errors.slice(0, MAX_LISTED).map((issue) => `- ${describeIssue(issue)}`);
  const listed = issues.filter(add).length;
  const more = check.errors.length - listed + (check.truncated ?? 0);
  if (more > 0) lines.push(`- and ${more} more`);
  for (const suggestion of check.suggestions.slice(0, MAX_LISTED)) {
    if (!add(describeSuggestion(suggestion))) break;
  }
  return lines;
}

function describeSuggestion(suggestion: Suggestion): string {
  const at = suggestion.path === "" ? "" : `${visible(suggestion.path, MAX_LINE)}: `;
  return `- hint: ${at}${visible(suggestion.message, MAX_LINE)}`;
}

/**
 * The text that a model gets when its arguments were stopped: what is wrong and what to do, in at
 * most 16 KiB. Names no values of the arguments, only their places and types.
 */
export function explainInput(tool: string, check: Check): string {
  const name = JSON.stringify(visible(tool, 128));
  const [why, advice] =
    check.outcome === "uncompilable"
      ? [
          "the tool's input schema cannot be used, so its arguments cannot be checked.",
          "This is a fault of the server. Changing the arguments will not help.",
        ]
      : [
          "its arguments do not match the tool's input schema.",
          "Correct the arguments and call the tool again.",
        ];
  const head = `The call of ${name} was blocked before it reached the server: ${why}`;
  const room = MAX_TEXT - Buffer.byteLength(head) - Buffer.byteLength(advice) - MAX_LINE;
  return [head, ...list(check, room), advice].join("\n");
}

/** The text in the place of a structured result that was stopped. */
export function explainOutput(reason: string): string {
  return `output schema validation failed: ${reason}`;
}

/** Why a result was stopped or noted, in one line, for records and for {@link explainOutput}. */
export function outputReason(check: Pick<Check, "outcome" | "errors" | "truncated">): string {
  if (check.outcome === "missing") {
    return "tool declares an output schema but returned no structured content";
  }
  return summarise(check);
}
