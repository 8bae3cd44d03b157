import { type Issue, parseJson, pointerTokens, valueAt } from "@touchstone/core/advanced";
import { REDACTED } from "@touchstone/util";
import type { Direction } from "../../settings/validation.ts";

/** Where in a message an issue's pointers begin. */
const BASES: Readonly<Record<Direction, readonly string[]>> = {
  input: ["params", "arguments"],
  output: ["result", "structuredContent"],
  protocol: [],
};

/** Returns whether every issue is about a value that was removed from the message. Never throws. */
export function isOnlyAboutRedacted(
  bytes: Uint8Array,
  direction: Direction,
  issues: readonly Issue[],
): boolean {
  if (issues.length === 0) return false;
  const parsed = parseJson(bytes);
  if (!parsed.ok) return false;
  return issues.every(({ path }) => {
    const value = valueAt(parsed.value, [...BASES[direction], ...pointerTokens(path)])?.value;
    return typeof value === "string" && value.includes(REDACTED);
  });
}
