import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { cutText, utf8Length } from "../../json/quote.ts";
import type { Issue } from "../../result.ts";
import { boundIssues } from "./bound.ts";

const issue = (message: string, path = ""): Issue => ({ path, message, rule: "value" });

test("cut never exceeds its length and never splits a character", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "grapheme" }),
      fc.integer({ min: 2, max: 20 }),
      (text, length) => {
        const short = cutText(text, length);
        expect(short.length).toBeLessThanOrEqual(length);
        if (text.length <= length) expect(short).toBe(text);
        else expect(text.startsWith(short.slice(0, -1)) && short.endsWith("…")).toBe(true);
        expect(new TextDecoder().decode(new TextEncoder().encode(short))).toBe(short);
      },
    ),
  );
});

test("utf8Length equals the length of what TextEncoder produces", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(utf8Length(text)).toBe(new TextEncoder().encode(text).length);
    }),
  );
});

test.each([
  ["\u007f", 1],
  ["\u0080", 2],
  ["\u07ff", 2],
  ["\u0800", 3],
  ["\ud800", 3],
  ["\uffff", 3],
  ["\u{10000}", 4],
])("utf8Length of %j", (text, bytes) => expect(utf8Length(text)).toBe(bytes));

describe("boundIssues", () => {
  test("stays within every bound, lists a prefix and counts the rest", () => {
    const text = fc.string({ unit: "binary", maxLength: 3000 });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(text, text), { maxLength: 60 }),
        fc.integer({ min: 1, max: 50 }),
        (all, most) => {
          const { issues, more } = boundIssues(
            all.length,
            (i) => issue(...(all[i] as [string, string])),
            most,
          );
          expect(issues.length + more).toBe(all.length);
          expect(issues.length).toBeLessThanOrEqual(most);
          if (all.length > 0) expect(issues.length).toBeGreaterThan(0);
          const messages = issues.map(({ message }) => message);
          expect(utf8Length(messages.join(""))).toBeLessThanOrEqual(16_384);
          messages.forEach((message, i) => {
            expect(message).toBe(cutText(all[i]?.[0] ?? "", 1024));
          });
        },
      ),
    );
  });

  it("lists more issues if more text is allowed", () => {
    const listed = (maxText?: number): number =>
      boundIssues(3000, () => issue("x".repeat(100)), 2000, maxText).issues.length;
    expect([listed(), listed(50_000), listed(1_000_000)]).toEqual([163, 500, 2000]);
  });

  it("cuts a path that is too long, and lists fewer issues if their paths are long", () => {
    const path = `/${"p".repeat(5000)}`;
    const { issues, more } = boundIssues(
      100,
      () => ({ ...issue("m", path), instancePath: path }),
      1000,
    );
    expect(issues[0]?.path).toHaveLength(4096);
    expect(issues[0]?.instancePath).toHaveLength(4096);
    expect([issues.length, more]).toEqual([16, 84]);
  });
});
