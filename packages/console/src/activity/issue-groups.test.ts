import type { Issue } from "@touchstone/core";
import type { ActivityRecord } from "@touchstone/gateway/api";
import { expect, it } from "vitest";
import { recordWith } from "../testing/record.ts";
import { issueGroups } from "./issue-groups.ts";

const issue = (path: string, rule: Issue["rule"]): Issue => ({ path, message: "m", rule });

type Decided = "blocked" | "repaired" | "warning";

function decision(
  direction: "input" | "output",
  decided: Decided,
  more: Partial<ActivityRecord>,
): ActivityRecord {
  return recordWith({
    id: direction,
    type: "policy_decision",
    direction,
    decision: decided,
    ...more,
  });
}

const repaired = (decided: Decided, issues: readonly Issue[]): ActivityRecord =>
  decision("input", decided, { repairs: "drop-nulls at /a", truncated: 2, issues });
const ARGUMENT = issue("/a", "type");
const POLICY = issue("/b", "policy");
const result = (decided: Decided): ActivityRecord =>
  decision("output", decided, { issues: [issue("/c", "required")] });

it.each<[string, readonly ActivityRecord[], readonly string[]]>([
  ["none", [decision("input", "blocked", {})], []],
  ["repaired", [repaired("repaired", [ARGUMENT])], ["1 /a repaired, 2 left out"]],
  [
    "blocked after a repair",
    [repaired("blocked", [POLICY, ARGUMENT])],
    ["1 /b blocking", "2 /a repaired, 2 left out"],
  ],
  [
    "blocked after a repair, in the order of an older gateway",
    [repaired("blocked", [ARGUMENT, POLICY])],
    ["1 /b blocking", "2 /a repaired, 2 left out"],
  ],
  [
    "repaired, with a warning of the policy",
    [repaired("repaired", [ARGUMENT, POLICY])],
    ["1 /a repaired, 2 left out", "2 /b"],
  ],
  [
    "a blocked result after a repair",
    [repaired("repaired", [ARGUMENT]), result("blocked")],
    ["1 /c blocking", "1 /a repaired, 2 left out"],
  ],
  [
    "two warnings",
    [decision("input", "warning", { issues: [ARGUMENT] }), result("warning")],
    ["1 /a", "1 /c"],
  ],
])("groups issues: %s", (_, records, expected) => {
  const shown = issueGroups(records).map(({ first, issues, repairs, isBlocking, truncated }) => {
    const words = [
      `${first} ${issues.map(({ path }) => path)}`,
      isBlocking ? " blocking" : "",
      repairs === undefined ? "" : " repaired",
      truncated === 0 ? "" : `, ${truncated} left out`,
    ];
    return words.join("");
  });
  expect(shown).toEqual(expected);
});
