import { type Check, describeCheck, type RootName } from "@touchstone/core/advanced";
import { visible } from "@touchstone/util/plain";

/** Longest line of a text, in UTF-16 code units. */
export const MAX_TEXT_LINE = 300;
/** Longest part of a tool's name that is shown, in UTF-16 code units. */
export const MAX_SHOWN_TOOL_NAME = 128;
/** Longest part of a model's text about issues, in UTF-8 bytes: one screen. */
export const MAX_MODEL_TEXT_BYTES = 4_096;

/** Returns a tool's name in quotes, as texts for models show it. */
export function quotedToolName(tool: string): string {
  return visible(JSON.stringify(tool.slice(0, MAX_SHOWN_TOOL_NAME)), 2 * MAX_SHOWN_TOOL_NAME);
}

/** How many issues one line lists. */
const MAX_SHOWN = 3;

/**
 * Returns one line for logs and records: the first issues as sentences for people, and the number of the others. For
 * a union it says what the closest branch requires.
 * @param whole what the root is called
 */
export function summarizeIssues(
  check: Pick<Check, "errors" | "truncated">,
  whole?: RootName,
): string {
  const { errors, truncated = 0 } = check;
  const told = describeCheck(check, whole, MAX_SHOWN);
  const lines = told.map(({ text }) => visible(text, MAX_TEXT_LINE)).join("; ");
  const more = errors.length - told.reduce((sum, { issues }) => sum + issues, 0) + truncated;
  return more > 0 ? `${lines}; and ${more} more` : lines;
}
