import { expect, it } from "vitest";
import type { Findings, LevelIssue, ToolVerdict } from "../validation-result.ts";
import { joinVerdicts } from "./result.ts";

const issue = (message: string, severity: LevelIssue["severity"] = "error"): LevelIssue => ({
  ...{ level: "syntax", path: "/a", message, severity },
});
const LOCAL: Findings = {
  issues: [issue("is missing"), issue("is odd", "warning")],
  suggestions: ["say a"],
  levelsNotRun: [],
};
const NATIVE: ToolVerdict = {
  valid: false,
  errors: ["/a is missing", "/a is taken"],
  warnings: ["/a is odd", "/a is old"],
  suggestions: ["say a", "say b"],
  issues: [issue("is missing"), issue("is taken"), issue("is odd", "warning")],
  levelsNotRun: [{ level: "security", reason: "not_served" }],
};
const ok = (verdict: Partial<ToolVerdict>) =>
  ({ status: "ok", verdict: { ...NATIVE, ...verdict } }) as const;

it("merges the schema's and the server's issues without duplicates", () => {
  expect(joinVerdicts(LOCAL, ok({}))).toEqual({
    ...NATIVE,
    issues: [...LOCAL.issues, issue("is taken")],
    method: "native",
    native: { status: "ok" },
  });
});

it("reports the larger count of omitted issues, and the output schema", () => {
  const outputSchema = { type: "object" };
  const joined = joinVerdicts({ ...LOCAL, more: 2, outputSchema }, ok({ truncated: 5 }));
  expect(joined).toMatchObject({ truncated: 5, outputSchema });
  expect(joinVerdicts({ ...LOCAL, more: 7 }, ok({ truncated: 5 }))).toMatchObject({ truncated: 7 });
});

it("is not valid if either side says so", () => {
  const good = { valid: true, errors: [], warnings: [], suggestions: [], issues: [] };
  const none: Findings = { issues: [], suggestions: [], levelsNotRun: [] };
  expect(joinVerdicts(none, ok(good)).valid).toBe(true);
  expect(joinVerdicts(none, ok({})).valid).toBe(false);
  expect(joinVerdicts(LOCAL, ok(good)).valid).toBe(false);
});

it("uses the schema's result if the server has none, and is never valid without both", () => {
  const failed = { status: "timeout", detail: "too late" } as const;
  expect(joinVerdicts(LOCAL, failed)).toMatchObject({
    valid: false,
    errors: ["/a is missing"],
    method: "schema",
    native: failed,
  });
  expect(joinVerdicts("no such tool", failed)).toMatchObject({
    valid: false,
    errors: [expect.stringContaining("could not be checked: no such tool; too late")],
    method: "none",
    native: failed,
  });
  expect(joinVerdicts("no such tool", ok({}))).toEqual({
    ...NATIVE,
    method: "native",
    native: { status: "ok" },
  });
});
