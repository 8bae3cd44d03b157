import { describe, expect, it } from "vitest";
import { readBatchResult, readValidationResult } from "./read-answer.ts";

const ISSUE = { level: "semantic", severity: "error", path: "/a", message: "is wrong" };
const answered = (verdict: object) => readValidationResult({ structuredContent: verdict });

describe("readValidationResult", () => {
  it.each([
    [{ level: "nonsense" }],
    [{ severity: "info" }],
    [{ severity: undefined }],
    [{ path: 5 }],
    [{ message: null }],
  ])("skips the invalid issue %j", (change) => {
    const issues = [{ ...ISSUE, ...change }, { ...ISSUE, severity: "warning", keyword: 7 }, "x"];
    expect(answered({ valid: true, issues })).toMatchObject({
      status: "ok",
      verdict: { valid: true, errors: [], issues: [{ ...ISSUE, severity: "warning" }] },
    });
  });

  it("takes errors from issues if none are listed, so an invalid result always has one", () => {
    const warning = { ...ISSUE, severity: "warning" };
    const errorsOf = (verdict: object) => {
      const answer = answered(verdict);
      return answer.status === "ok" ? [answer.verdict.valid, ...answer.verdict.errors] : [];
    };
    expect(errorsOf({ valid: false, issues: [warning, ISSUE] })).toEqual([false, "/a is wrong"]);
    expect(errorsOf({ valid: false, errors: ["e"], issues: [ISSUE] })).toEqual([false, "e"]);
    expect(errorsOf({ valid: false, issues: [warning] })).toEqual([
      false,
      "the server reports invalid arguments, but not why",
    ]);
    expect(errorsOf({ valid: true, issues: [warning] })).toEqual([true]);
  });

  it("keeps skipped levels with a known reason", () => {
    const known = { level: "security", reason: "not_served" };
    const levelsNotRun = [known, { level: "schema", reason: "tired" }, { reason: "timeout" }, null];
    expect(answered({ valid: true, levelsNotRun })).toMatchObject({
      verdict: { levelsNotRun: [known] },
    });
  });

  it.each<[string, unknown, object]>([
    ["a text", { content: '{"valid":true}' }, { status: "ok", verdict: { valid: true } }],
    [
      "the first text among blocks",
      { content: [{ type: "image" }, { type: "text", text: '{"valid":true}' }] },
      { status: "ok" },
    ],
    [
      "structured content before a text",
      { content: "no JSON", structuredContent: { valid: true } },
      { status: "ok" },
    ],
    ["no text", { content: { text: '{"valid":true}' } }, { status: "invalid_answer" }],
    ["no object", [], { status: "invalid_answer", detail: "the response is not an object" }],
    ["an error", { isError: true, content: "away" }, { status: "failed", detail: "away" }],
    ["no success", { success: false, error: "away" }, { status: "failed", detail: "away" }],
    ["no success, untold", { success: false }, { detail: "the server gave no reason" }],
    ["a request for input", { resultType: "input_required" }, { status: "failed" }],
    ["what is complete", { resultType: "complete", content: "{}" }, { status: "invalid_answer" }],
    ["no boolean", { structuredContent: { valid: "true" } }, { status: "invalid_answer" }],
  ])("reads %s", (_, result, expected) => {
    expect(readValidationResult(result)).toMatchObject(expected);
  });
});

describe("readBatchResult", () => {
  it("returns for each call its own result, or the failure of the whole batch", () => {
    const results = [{ valid: true }, { valid: false }, { valid: 1 }];
    expect(readBatchResult({ structuredContent: { results } }, 3)).toMatchObject([
      { status: "ok", verdict: { valid: true } },
      { status: "ok", verdict: { valid: false } },
      { status: "invalid_answer" },
    ]);
    const failed = { status: "failed", detail: "away" };
    expect(readBatchResult({ isError: true, content: "away" }, 2)).toEqual([failed, failed]);
    expect(readBatchResult({ structuredContent: { results } }, 2)).toMatchObject([
      { status: "invalid_answer" },
      { status: "invalid_answer" },
    ]);
  });
});
