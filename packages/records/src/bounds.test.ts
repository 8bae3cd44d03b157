import type { Issue } from "@touchstone/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { boundIssues, boundText, MAX_ISSUES_BYTES } from "./bounds.ts";
import { buildRecord } from "./build.ts";
import { canonicalJson } from "./canonical.ts";

const issue = (fields: Partial<Issue> = {}): Issue => ({
  path: "/a",
  message: "must be string",
  rule: "type",
  keyword: "type",
  ...fields,
});

describe("boundText", () => {
  it.each([
    ["abc", 3, "abc"],
    ["abcd", 3, "ab…"],
    ["a😀b", 3, "a…"],
    ["a\u0000b", 9, "a\ufffdb"],
    ["a\ud800b", 9, "a\ufffdb"],
    ["\udc00", 9, "\ufffd"],
    ["", 1, ""],
  ])("turns %j within %d into %j", (text, length, expected) => {
    expect(boundText(text, length)).toBe(expected);
  });

  it("returns well-formed text within the bound", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary" }),
        fc.integer({ min: 1, max: 12 }),
        (text, length) => {
          const kept = boundText(text, length);
          expect(kept.length).toBeLessThanOrEqual(length);
          expect(kept).not.toMatch(/[\p{Surrogate}\0]/u);
        },
      ),
    );
  });
});

describe("boundIssues", () => {
  it("keeps issues unchanged if they fit", () => {
    const issues = [
      issue({ params: { allowedValues: ["x", null, 1.5, true, { a: [] }] } }),
      issue(),
    ];
    expect(boundIssues(issues)).toEqual({ issues, dropped: 0 });
  });

  it("keeps issues that fit exactly", () => {
    const room = MAX_ISSUES_BYTES - JSON.stringify([issue({ message: "" })]).length;
    const fitting = issue({ message: "x".repeat(room) });
    expect(boundIssues([fitting]).issues).toEqual([fitting]);
    const beyond = issue({ message: "x".repeat(room + 1) });
    expect(boundIssues([beyond]).issues).toMatchObject([{ message: `${"x".repeat(255)}…` }]);
  });

  it("drops issues from the end and counts them", () => {
    const issues = Array.from({ length: 1000 }, (_, n) => issue({ path: `/${n}` }));
    const kept = boundIssues(issues);
    expect(kept.dropped).toBe(1000 - kept.issues.length);
    expect(kept.issues.length).toBeGreaterThan(100);
    expect(kept.issues).toEqual(issues.slice(0, kept.issues.length));
    expect(JSON.stringify(kept.issues).length).toBeLessThanOrEqual(MAX_ISSUES_BYTES);
  });

  it.each([
    ["a huge message", { message: "m".repeat(1_000_000) }],
    ["huge params", { params: { allowedValues: Array.from({ length: 1e6 }, (_, n) => n) } }],
    ["deep params", { params: { a: nested(10_000) } }],
    ["a huge path", { path: `/${"\u0001".repeat(100_000)}` }],
  ])("shortens an issue with %s", (_name, fields) => {
    const kept = boundIssues([issue(fields), issue()]);
    expect(kept.dropped).toBe(0);
    expect(kept.issues[0]).toMatchObject({ rule: "type", keyword: "type" });
    expect(kept.issues[0]).not.toHaveProperty("params");
    expect(kept.issues[1]).toEqual(issue());
  });

  it("handles params that JSON cannot represent", () => {
    const params = { n: Number.NaN, b: 1n, f: () => 1, u: undefined, z: -0, s: "\ud800" };
    const own = JSON.parse('{"__proto__":1}') as Record<string, unknown>;
    expect(boundIssues([issue({ params: { ...params, own } })]).issues[0]?.params).toEqual({
      n: "NaN",
      b: "1",
      z: 0,
      s: "\ufffd",
      own,
    });
  });

  it("returns issues that survive a round trip through JSON, within the bound", () => {
    const text = fc.string({ unit: "binary", maxLength: 3000 });
    const anIssue = fc.record({
      path: text,
      message: text,
      rule: fc.constant("value" as const),
      params: fc.dictionary(text, fc.anything({ withBigInt: true })),
    });
    fc.assert(
      fc.property(fc.array(anIssue, { maxLength: 8 }), (issues) => {
        const kept = boundIssues(issues).issues;
        const stored = JSON.stringify(kept);
        expect(Buffer.byteLength(stored)).toBeLessThanOrEqual(MAX_ISSUES_BYTES);
        expect(canonicalJson(JSON.parse(stored))).toBe(canonicalJson(kept));
      }),
    );
  });
});

describe("buildRecord", () => {
  const at = new Date("2026-08-31T09:00:00.000Z");
  const base = { type: "tool_call", source: "gateway" } as const;

  it("fills absent fields with null, and leaves out guard", () => {
    const record = buildRecord(base, "ID", at);
    expect(record).toMatchObject({ id: "ID", time: "2026-08-31T09:00:00.000Z", issues: [] });
    expect(record).not.toHaveProperty("guard");
    expect(Object.values(record).filter((value) => value === null)).toHaveLength(15);
  });

  it("cuts hostile names and reasons", () => {
    const record = buildRecord(
      { ...base, tool: "t".repeat(9999), reason: "r".repeat(9999) },
      "ID",
      at,
    );
    expect(record.tool).toBe(`${"t".repeat(255)}…`);
    expect(record.reason).toBe(`${"r".repeat(2047)}…`);
  });

  it.each([
    [undefined, 1],
    [7, 8],
  ])("with %s adds the dropped issues to the entry's count", (truncated, expected) => {
    const message = "m".repeat(8100);
    const issues = [issue({ message }), issue({ message }), ...Array(2).fill(issue({ message }))];
    const entry = {
      ...base,
      reason: "why",
      truncated,
      issues: issues.slice(0, 3),
    };
    const record = buildRecord(entry, "ID", at);
    expect(record.issues.length).toBe(2);
    expect(record).toMatchObject({ reason: "why", truncated: expected });
  });

  it("replaces invalid numbers with null", () => {
    const entry = { ...base, bytes_in: -1, bytes_out: 1.5, duration_ms: Number.NaN };
    expect(buildRecord(entry, "ID", at)).toMatchObject({
      bytes_in: null,
      bytes_out: null,
      duration_ms: null,
    });
  });
});

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let n = 0; n < depth; n += 1) {
    value = { a: value };
  }
  return value;
}
