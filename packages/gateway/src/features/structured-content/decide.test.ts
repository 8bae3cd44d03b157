import { describe, expect, it } from "vitest";
import type { Mode } from "../decision.ts";
import { decideMissing } from "./decide.ts";

describe("decideMissing", () => {
  const table: [Mode, "allow" | "block", string, boolean][] = [
    ["off", "block", "allowed", false],
    ["warn", "block", "allowed", false],
    ["strict", "allow", "allowed", false],
    ["strict", "block", "blocked", true],
  ];
  it.each(table)("%s with %s: %s", (mode, missingStructuredContent, decision, record) => {
    const verdict = decideMissing({ mode, missingStructuredContent });
    const outcome = mode === "off" ? "skipped" : "missing";
    expect(verdict).toEqual({ decision, outcome, mode, record });
  });
});
