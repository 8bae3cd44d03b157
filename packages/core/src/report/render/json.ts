import { escapeUnsafe } from "../../json/quote.ts";
import { boundedIssue, boundedResult } from "../issues/bounded-result.ts";
import {
  type CheckedDocument,
  locateIssues,
  type ReportedDocument,
  UNREADABLE_RULE,
  type UnreadDocument,
} from "./document.ts";

/** Returns the JSON text of a value, with no character in its strings that a terminal would act on. */
export function safeJson(value: unknown): string {
  // Line breaks between tokens are ours; JSON already escapes those in strings.
  return JSON.stringify(value, null, 2)
    .split("\n")
    .map((line) => escapeUnsafe(line))
    .join("\n");
}

/**
 * Returns documents as JSON: an array of `{name, valid, outcome, errors, warnings, suggestions, truncated?}`. Each
 * issue has `line` and `column`, counted from 1, if the text is known; {@link boundedResult} cuts large `params`. A
 * document that could not be read is not valid and has outcome `unread`; its one error, of rule `file`, says why.
 */
export function renderJson(documents: readonly ReportedDocument[]): string {
  const all = documents.map((document) =>
    "unread" in document ? unreadJson(document) : checkedJson(document),
  );
  return `${safeJson(all)}\n`;
}

function checkedJson(document: CheckedDocument): object {
  const { check } = document;
  const located = locateIssues(document);
  const issues = (wanted: "error" | "warning"): readonly object[] =>
    located
      .filter(({ level }) => level === wanted)
      .map(({ issue, start }) => ({ ...boundedIssue(issue), ...start }));
  return {
    name: document.name,
    valid: check.valid,
    outcome: check.outcome,
    errors: issues("error"),
    warnings: issues("warning"),
    ...boundedResult({ suggestions: check.suggestions }),
    ...(check.truncated === undefined ? {} : { truncated: check.truncated }),
  };
}

function unreadJson({ name, unread }: UnreadDocument): object {
  const errors = [{ path: "", message: unread, rule: UNREADABLE_RULE }];
  return { name, valid: false, outcome: "unread", errors, warnings: [], suggestions: [] };
}
