import { describe, expect, it } from "vitest";
import type { HeaviestDecision } from "./in-flight.ts";
import { heavierDecision } from "./settle.ts";

describe("heavier", () => {
  const verdict = (
    decision: HeaviestDecision["decision"],
    outcome: HeaviestDecision["outcome"],
    reason?: string,
  ) => ({
    decision,
    outcome,
    ...(reason === undefined ? {} : { reason }),
  });
  const table: [HeaviestDecision, HeaviestDecision, HeaviestDecision][] = [
    [verdict("allowed", "skipped"), verdict("allowed", "pass"), verdict("allowed", "pass")],
    [verdict("allowed", "pass"), verdict("allowed", "skipped"), verdict("allowed", "pass")],
    [verdict("allowed", "pass"), verdict("allowed", "missing"), verdict("allowed", "missing")],
    [
      verdict("allowed", "uncompilable"),
      verdict("allowed", "pass"),
      verdict("allowed", "uncompilable"),
    ],
    [
      verdict("allowed", "pass"),
      verdict("warning", "violation", "b"),
      verdict("warning", "violation", "b"),
    ],
    [
      verdict("warning", "violation", "a"),
      verdict("warning", "guard", "b"),
      verdict("warning", "violation", "a"),
    ],
    [
      verdict("warning", "violation", "a"),
      verdict("allowed", "pass"),
      verdict("warning", "violation", "a"),
    ],
    [
      verdict("warning", "violation", "a"),
      verdict("blocked", "guard", "b"),
      verdict("blocked", "guard", "b"),
    ],
    [
      verdict("blocked", "guard", "b"),
      verdict("warning", "violation", "a"),
      verdict("blocked", "guard", "b"),
    ],
  ];
  it.each(table)("of %j and %j keeps the heavier", (current, next, stands) => {
    expect(heavierDecision(current, next)).toEqual(stands);
  });
});
