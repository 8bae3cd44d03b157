import type { DriftFinding } from "@touchstone/gateway/api";
import { describe, expect, it } from "vitest";
import { differencesFirst, driftSentence, uncertaintyText } from "./drift.ts";

describe("drift", () => {
  it.each<readonly [object, string]>([
    [
      { kind: "never_came", count: 0, of: 1200, required: true },
      "never occurred in 1,200, but is required",
    ],
    [{ kind: "sometimes_missing", count: 2, of: 5 }, "is required, but was missing in 2 of 5"],
    [
      { kind: "undeclared", count: 1, of: 2, types: ["string"], closed: true },
      "is not declared, but occurred in 1 of 2 (string); the schema allows no others",
    ],
    [
      { kind: "unnamed", count: 7, of: 2 },
      "had 7 members in 2 whose names were not stored because they may be data",
    ],
    [
      { kind: "other_value", count: 1, of: 2, keyword: "maximum", says: 3 },
      'broke "maximum": 3 in 1 of 2 results',
    ],
    [
      { kind: "other_type", count: 1, of: 2, types: ["null"], declared: [] },
      "was null in 1 of 2; declared is nothing",
    ],
    [{ kind: "new_kind", count: 1, of: 2 }, "new_kind: 1 of 2"],
  ])("describes %j", (finding, said) => {
    expect(driftSentence({ path: "/a", ...finding } as DriftFinding)).toBe(said);
  });

  it("has words for what is unsure", () => {
    const proposed_unsure = ["items", "new"] as Parameters<
      typeof uncertaintyText
    >[0]["proposed_unsure"];
    expect(uncertaintyText({ proposed_unsure })).toEqual([
      "items of long arrays beyond the first 50",
      "new",
    ]);
  });

  it("lists tools with differences only, those with the most first", () => {
    const tools = [0, 2, 0, 7, 2].map((findings, at) => ({ findings, at }));
    expect(differencesFirst(tools).map(({ at }) => at)).toEqual([3, 1, 4]);
    expect(differencesFirst([])).toEqual([]);
  });
});
