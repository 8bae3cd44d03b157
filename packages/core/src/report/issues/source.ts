import type { SchemaError } from "../../engine/context.ts";
import type { Issue } from "../../result.ts";

// Beside the issues and not in them: issues are written to records, logs and answers, and what an
// explanation looks at (the judged value, the schema's nodes) must not get there.
const sources = new WeakMap<Issue, SchemaError>();

/** Remembers which of the engine's errors an issue tells of. */
export function setSource(issue: Issue, source: SchemaError | undefined): void {
  if (source !== undefined) sources.set(issue, source);
}

/**
 * The engine's error that an issue tells of. Undefined for an issue that no schema raised, and for
 * one that was copied or read back from JSON.
 */
export function sourceOf(issue: Issue): SchemaError | undefined {
  return sources.get(issue);
}

/**
 * Lets an issue that was made of another, such as one with a longer path, tell of the same error:
 * what explains a check knows of a mere copy no more than it says. Gives the issue.
 */
export function madeOf(issue: Issue, original: Issue): Issue {
  setSource(issue, sourceOf(original));
  return issue;
}
