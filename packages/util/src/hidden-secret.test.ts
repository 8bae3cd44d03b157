import { quote } from "@touchstone/core/advanced";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hideSecret } from "./hidden-secret.ts";
import { visible } from "./log.ts";

const hide = (text: string, secret: string): string => hideSecret(text, secret, "[redacted]");

describe("hideSecret", () => {
  it.each([
    ["nothing to hide", "must be a string", "hunter2", "must be a string"],
    ["an empty secret", "abc", "", "abc"],
    ["as it is, twice", "hunter2 or hunter2.", "hunter2", "[redacted] or [redacted]."],
    ["markup", `must be ${quote("pa<ss`word")}`, "pa<ss`word", 'must be "[redacted]"'],
    ["hidden characters", visible("a\u202eb\u0007 c"), "a\u202eb\u0007", "[redacted] c"],
    ["quotes", `is ${quote('a"<b')}`, 'a"<b', 'is "[redacted]"'],
    ["only quotes escaped in part", 'is a"\\u003cb', 'a"<b', "is [redacted]"],
    ["backslashes", "is a\\\\\\\\b", "a\\\\b", "is [redacted]"],
    ["outside the BMP", "is a\\ud83d\\ude00b", "a😀b", "is [redacted]"],
    ["cut", `is ${quote("abcdefghij", 6)} (got x)`, "abcdefghij", 'is "[redacted]…" (got x)'],
    ["cut after a few", `is ${quote("abcdefghij", 4)}`, "abcdefghij", 'is "abc…"'],
    ["a beginning alone", "abcdefgh", "abcdefghij", "abcdefgh"],
  ])("hides %s", (_, text, secret, shown) => {
    expect(hide(text, secret)).toBe(shown);
  });

  it("hides any secret, however it is quoted or cut", () => {
    const character = fc.oneof(
      fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
      fc.constantFrom("<", "`", '"', "\\", "]", "!", "\u202e", "a"),
    );
    const secrets = fc
      .array(character, { minLength: 5, maxLength: 120 })
      .map((all) => all.join(""));
    const most = 'is "[redacted]…"'.length;
    fc.assert(
      fc.property(secrets, fc.integer({ min: 60, max: 140 }), (secret, max) => {
        for (const text of [quote(secret, max), visible(secret, max), secret]) {
          const left = hide(`is ${text}`, secret);
          expect(left).toContain("[redacted]");
          expect(left.length).toBeLessThanOrEqual(most);
        }
      }),
    );
  });
});
