import { expect, it } from "vitest";
import { renderJson } from "./json.ts";
import { BAD, GOOD, LOSSY, UNREAD } from "./testing/documents.ts";

it("writes the whole result of each document, with lines and columns", () => {
  const text = renderJson([GOOD, BAD, LOSSY]);
  expect(text).not.toMatch(/\p{Cf}/u);
  const [good, bad, lossy] = JSON.parse(text);
  expect(good).toEqual({
    name: "good.json",
    valid: true,
    outcome: "pass",
    errors: [],
    warnings: [],
    suggestions: [],
  });
  const errors = BAD.check.errors.map((issue) => ({ ...issue }));
  expect(bad).toMatchObject({ name: "a b.json", valid: false, outcome: "violation", errors });
  expect(
    bad.errors.map((issue: { line: number; column: number }) => [issue.line, issue.column]),
  ).toEqual([
    [1, 1],
    [2, 3],
    [3, 7],
  ]);
  expect(lossy.warnings).toMatchObject([{ path: "/n", rule: "number", line: 1, column: 17 }]);
});

it("reports how many issues are not listed", () => {
  const [document] = JSON.parse(renderJson([{ ...BAD, check: { ...BAD.check, truncated: 7 } }]));
  expect(document.truncated).toBe(7);
});

it("writes no line if the text is unknown", () => {
  const { bytes: _text, ...document } = BAD;
  expect(JSON.parse(renderJson([document]))[0].errors[0]).not.toHaveProperty("line");
});

it("reports a document that could not be read as invalid, with the reason", () => {
  const [document] = JSON.parse(renderJson([UNREAD]));
  expect(document).toMatchObject({ name: "gone.json", valid: false, outcome: "unread" });
  expect(document.errors).toEqual([{ path: "", message: UNREAD.unread, rule: "file" }]);
});
