import { escapeUnsafe } from "../issues/quote.ts";
import type { CheckedDocument } from "./document.ts";
import { locateIssues } from "./document.ts";

/** JSON text of a value whose strings hold no character that a terminal would act on. */
export function safeJson(value: unknown): string {
  // Line breaks between tokens are ours; those in strings are escaped by JSON already.
  return JSON.stringify(value, null, 2)
    .split("\n")
    .map((line) => escapeUnsafe(line))
    .join("\n");
}

/**
 * Checked documents as JSON: an array of `{name, valid, outcome, errors, warnings, suggestions,
 * truncated?}`; each issue with `line` and `column`, counted from 1, where the text is known.
 */
export function renderJson(documents: readonly CheckedDocument[]): string {
  const all = documents.map((document) => {
    const { check } = document;
    const located = locateIssues(document);
    const issues = (wanted: "error" | "warning"): readonly object[] =>
      located
        .filter(({ level }) => level === wanted)
        .map(({ issue, start }) => ({ ...issue, ...start }));
    return {
      name: document.name,
      valid: check.valid,
      outcome: check.outcome,
      errors: issues("error"),
      warnings: issues("warning"),
      suggestions: check.suggestions,
      ...(check.truncated === undefined ? {} : { truncated: check.truncated }),
    };
  });
  return `${safeJson(all)}\n`;
}
