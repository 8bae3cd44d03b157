import type { KeywordError } from "../../engine/context.ts";
import { isObject } from "../../json/value.ts";
import { countText, type IssueWords } from "../../keywords/explain.ts";
import { explanationOf } from "../../keywords/index.ts";
import type { Issue } from "../../result.ts";
import { engineErrorOf, nativeOf } from "../issues/issue.ts";
import { describeReceived, describeSchema, listTexts } from "./describe.ts";

/** An issue, and the engine's error that it was made from, if that is known. */
export interface IssueSource {
  readonly issue: Issue;
  readonly error?: KeywordError | undefined;
}

/** An example for each format that people and models get wrong. */
const EXAMPLES: ReadonlyMap<string, string | number> = new Map<string, string | number>([
  ["date", "2026-01-31"],
  ["date-time", "2026-01-31T12:00:00Z"],
  ["duration", "P1DT12H"],
  ["email", "name@example.com"],
  ["hostname", "www.example.com"],
  ["int32", 2_147_483_647],
  ["ipv4", "192.0.2.1"],
  ["ipv6", "2001:db8::1"],
  ["json-pointer", "/a/0"],
  ["time", "12:00:00Z"],
  ["uri", "https://example.com/a"],
  ["uri-reference", "/a?b=c"],
  ["uuid", "123e4567-e89b-12d3-a456-426614174000"],
]);

const WORDS: IssueWords = {
  describe: describeSchema,
  list: listTexts,
  example(format) {
    const value = EXAMPLES.get(format);
    return value === undefined ? undefined : JSON.stringify(value);
  },
};

/**
 * Returns what a keyword requires of a value, as a predicate: `must be at least 3`. Undefined for keywords that list
 * allowed types, values or properties, and for issues without `params`.
 */
export function requirementText({ issue, error }: IssueSource): string | undefined {
  const { keyword, params } = issue;
  if (params === undefined) return undefined;
  return explanationOf(keyword).demand?.(
    { message: nativeOf(issue), params, node: error?.node },
    WORDS,
  );
}

/**
 * Returns the type and size of the value found, if that helps to explain what its keyword requires. Never returns the
 * value.
 */
export function receivedText({
  issue,
  error = engineErrorOf(issue),
}: IssueSource): string | undefined {
  const { received } = explanationOf(issue.keyword);
  const data = error?.data;
  if (received === "members" && isObject(data)) {
    return countText("property", "properties", Object.keys(data).length);
  }
  return received === "length" ? describeReceived({ issue, error }) : undefined;
}
