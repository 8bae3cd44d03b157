import type { Outcome } from "@touchstone/core/advanced";
import { describe, expect, it } from "vitest";
import { DEFAULT_SETTINGS, type Mode, type OutputCheckSettings } from "../settings/validation.ts";
import { decideProtocol, decideSchemaCheck } from "./decide.ts";

const output = (changes: Partial<OutputCheckSettings>): OutputCheckSettings => ({
  ...DEFAULT_SETTINGS.output,
  ...changes,
});

describe("decideSchemaCheck", () => {
  const table: [Outcome, Mode, OutputCheckSettings["onInvalidSchema"], string, boolean][] = [
    ["pass", "off", "allow", "allowed", false],
    ["pass", "warn", "allow", "allowed", false],
    ["pass", "strict", "block", "allowed", false],
    ["skipped", "strict", "block", "allowed", false],
    ["missing", "strict", "block", "allowed", false],
    ["violation", "off", "allow", "allowed", false],
    ["violation", "warn", "allow", "warning", true],
    ["violation", "strict", "allow", "blocked", true],
    ["guard", "warn", "allow", "warning", true],
    ["guard", "strict", "allow", "blocked", true],
    ["budget", "warn", "allow", "warning", true],
    ["budget", "strict", "allow", "blocked", true],
    ["uncompilable", "off", "block", "allowed", false],
    ["uncompilable", "warn", "block", "allowed", false],
    ["uncompilable", "strict", "allow", "allowed", false],
    ["uncompilable", "strict", "block_external", "allowed", false],
    ["uncompilable", "strict", "block", "blocked", true],
  ];
  it.each(table)(
    "%s in %s, on_invalid_schema %s: %s",
    (outcome, mode, onInvalidSchema, decision, record) => {
      const counts = { type: 1 };
      const verdict = decideSchemaCheck({ outcome, counts }, output({ mode, onInvalidSchema }));
      expect(verdict).toMatchObject({ decision, record, mode });
      expect(verdict.outcome).toBe(mode === "off" ? "skipped" : outcome);
    },
  );

  it("can treat a class of issues as a warning, or ignore it", () => {
    const violation = { outcome: "violation", counts: { extra: 3 } } as const;
    const both = { outcome: "violation", counts: { extra: 3, type: 1 } } as const;
    const lenient = output({ mode: "strict", rules: { extra: "warning" } });
    expect(decideSchemaCheck(violation, lenient).decision).toBe("warning");
    expect(decideSchemaCheck(both, lenient).decision).toBe("blocked");
    const blind = output({ mode: "strict", rules: { extra: "ignore" } });
    expect(decideSchemaCheck(violation, blind)).toMatchObject({
      decision: "allowed",
      record: false,
    });
  });

  it("uses the counts by treatment if they exist, else the class's rule, never a place's", () => {
    const treated = { violation: 0, warning: 2, ignore: 9, heeded: 0, more: 0 };
    const found = { outcome: "violation", counts: { type: 11 } } as const;
    const strict = output({ mode: "strict", rules: { "/**": "ignore" } });
    const decided = (check: Parameters<typeof decideSchemaCheck>[0]) =>
      decideSchemaCheck(check, strict).decision;
    expect(decided({ ...found, treated })).toBe("warning");
    expect(decided({ ...found, treated: { ...treated, violation: 1 } })).toBe("blocked");
    expect(decided({ ...found, treated: { ...treated, warning: 0 } })).toBe("allowed");
    expect(decided({ outcome: "guard", counts: { guard: 1 } })).toBe("blocked");
    expect(decided({ outcome: "violation", counts: {} })).toBe("blocked");
  });

  it("treats a check over its budget differently from a payload over a limit", () => {
    const budget = { outcome: "budget", counts: { budget: 1 } } as const;
    const guard = { outcome: "guard", counts: { guard: 1 } } as const;
    const decide = (rule: "guard" | "budget", check: typeof budget | typeof guard) =>
      decideSchemaCheck(check, output({ mode: "strict", rules: { [rule]: "warning" } })).decision;
    expect([decide("guard", guard), decide("guard", budget)]).toEqual(["warning", "blocked"]);
    expect([decide("budget", guard), decide("budget", budget)]).toEqual(["blocked", "warning"]);
  });
});

describe("decideProtocol", () => {
  const table: [number, Mode, string, Outcome, boolean][] = [
    [0, "strict", "allowed", "pass", false],
    [2, "off", "allowed", "skipped", false],
    [2, "warn", "warning", "violation", true],
    [2, "strict", "blocked", "violation", true],
  ];
  it.each(table)("%i faults in %s: %s", (faults, mode, decision, outcome, record) => {
    const verdict = decideProtocol(faults, { mode, maxBytes: 1 });
    expect(verdict).toEqual({ decision, outcome, mode, record });
  });
});
