import { describe, expect, it } from "vitest";
import type { CallVerdict } from "./in-flight.ts";
import { heavier } from "./settle.ts";

describe("heavier", () => {
  const verdict = (
    decision: CallVerdict["decision"],
    outcome: CallVerdict["outcome"],
    reason?: string,
  ) => ({
    decision,
    outcome,
    ...(reason === undefined ? {} : { reason }),
  });
  const table: [CallVerdict, CallVerdict, CallVerdict][] = [
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
    expect(heavier(current, next)).toEqual(stands);
  });
});
