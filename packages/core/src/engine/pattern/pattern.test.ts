import { describe, expect, it } from "vitest";
import { type Budget, BudgetError } from "../../keywords/run.ts";
import { BacktrackingMatcher } from "./backtrack.ts";
import { linearMatcher } from "./linear.ts";
import { PatternLimitError, parsePattern } from "./parse.ts";
import { compilePattern, type Pattern } from "./pattern.ts";
import { sequenceMatcher } from "./sequence.ts";

describe("compilePattern", () => {
  it.each<[string, string, boolean]>([
    ["a$", "a\n", false],
    ["^a.c$", "a\u2028c", false],
    ["^\\s$", "\ufeff", true],
    ["^\\w$", "é", false],
    ["^.$", "😀", true],
    ["^\\-.$", "-😀", false],
    ["^\\-..$", "-😀", true],
    ["^[\\-\\ud83d]*\\-$", "\ud83d-", true],
    ["\\-\\ude00", "-😀", false],
    ["\\_\\ud83d", "_😀", true],
    ["\\ud83d", "😀", false],
    ["\\ud83d|\\B\\B", "a\ud83da", true],
    ["^[^]$", "\n", true],
    ["[]", "a", false],
    ["^a{,2}$", "a{,2}", true],
    ["^\\x41\\u0042\\u{43}\\cJ\\0$", "ABC\n\0", true],
    ["^(?<year>\\d{4})$", "2024", true],
    ["^(?!.*--)[a-z-]+(?<!-)$", "a-b", true],
    ["^(?!.*--)[a-z-]+(?<!-)$", "a--b", false],
    ["^(?!.*--)[a-z-]+(?<!-)$", "ab-", false],
    ["^(?:(?!--)[a-z-])+$", "a-b", true],
    ["^(?:(?!--)[a-z-])+$", "a--b", false],
    ["foo(?=bar)", "foobar", true],
    ["foo(?!bar)", "foobar", false],
    ["^(?=.*\\d)(?=.*[a-z]).{8,}$", "abcdefg1", true],
    ["^(?=.*\\d)(?=.*[a-z]).{8,}$", "abcdefgh", false],
    ["^(['\"]).*\\1$", "'a'", true],
    ["^(['\"]).*\\1$", "'a\"", false],
    ["^(?:[ab]{1,1500}|c)+$", "a".repeat(4000), true],
    ["^(?:[ab]{1500}c?){2}$", "a".repeat(2999), false],
    ["^(?:[ab]{1500}c?){2}$", "a".repeat(3000), true],
    ["^(?:[ab]{2,2500}b|c)$", `${"a".repeat(2500)}b`, true],
    ["^(?:[ab]{2,2500}b|c)$", `${"a".repeat(2501)}b`, false],
    ["^\\p{Script=Greek}+$", "αβγ", true],
    ["^\\P{Lu}$", "a", true],
    ["^\\p{Nd}$", "😀", false],
    // In reversed text, these two lone surrogates would form a pair.
    ["^(?:(?=\\ud83d\\ude00).|(?:[^]+)+b)*$", "\ude00\ud83d", false],
  ])("%j on %j: %s", (source, text, valid) => {
    expect(compilePattern(source).test(text, { steps: 2_000_000 })).toBe(valid);
  });

  it.each(["(", "[", "a**", "\\p{Nope}(", "(?<a>x)(?<a>y)", "(?i:a)", "(?<=a"])(
    "refuses %j",
    (source) => expect(() => compilePattern(source)).toThrow(SyntaxError),
  );

  it.each([
    ["a".repeat(16_385)],
    [`${"(".repeat(300)}${")".repeat(300)}`],
    [
      "Lu Ll Lt Lm Lo Mn Mc Me Nd Nl No Pc Pd Ps Pe Pi Pf"
        .replace(/\w+ ?/g, "\\p{$&}")
        .replaceAll(" }", "}"),
    ],
  ])("refuses %s over its limits", (source) => {
    expect(() => compilePattern(source)).toThrow(PatternLimitError);
  });

  it.each(["\\d", "\\D", "\\s", "\\S", "\\w", "\\W", "."])(
    "matches %s as ECMA-262 defines it",
    (source) => {
      const native = new RegExp(`^${source}$`);
      const parsed = parsePattern(`^${source}$`);
      const sequence = sequenceMatcher(parsed);
      const matchers = [
        linearMatcher(parsed),
        new BacktrackingMatcher(parsed),
        sequence && { test: sequence },
      ];
      const units = Array.from({ length: 0x10000 }, (_, unit) => unit).filter(
        (unit) => unit < 0x3100 || unit > 0xfe00,
      );
      const wrong = units.filter((unit) => {
        const text = String.fromCharCode(unit);
        return matchers.some(
          (matcher) => matcher?.test(text, { steps: 1_000 }) !== native.test(text),
        );
      });
      expect(wrong).toEqual([]);
    },
  );

  it("compiles a pattern exactly at the depth limit", () => {
    const deep = `${"(?:a".repeat(200)}${")*".repeat(200)}$`;
    expect(compilePattern(deep).test("aab")).toBe(true);
  });

  it.each(["(?:(?:(?:a{100}){100}){100}){100}", "^(?:a?b?){6000}$", "^(?:(?:a{50})?){200}b"])(
    "runs %s with counted steps, because it is too large for an automaton",
    (source) => {
      const pattern = compilePattern(source);
      expect(pattern.kind).toBe("backtracking");
      expect(() => pattern.test("a".repeat(100_000), { steps: 1000 })).toThrow(BudgetError);
    },
  );

  it("caches compiled patterns", () => {
    expect(compilePattern("^kept$")).toBe(compilePattern("^kept$"));
    const first = compilePattern("^kept$");
    for (let i = 0; i < 1000; i++) compilePattern(`^${i}$`);
    expect(compilePattern("^kept$")).not.toBe(first);
  });
});

describe("budget", () => {
  const spent = (pattern: Pattern, text: string): number => {
    const budget: Budget = { steps: 10_000_000 };
    pattern.test(text, budget);
    return 10_000_000 - budget.steps;
  };

  it.each([
    ["^[a-z]{2}-\\d+$", "sequence"],
    ["^(?:a|b|ab)+c$", "linear"],
    ["a*a*b", "linear"],
  ])("is spent in proportion to the text: %s", (source, kind) => {
    const pattern = compilePattern(source);
    expect(pattern.kind).toBe(kind);
    const once = spent(pattern, "ab".repeat(5000));
    expect(spent(pattern, "ab".repeat(10_000))).toBeLessThan(2.2 * once);
  });

  it("is spent equally each time", () => {
    const pattern = compilePattern("^(?:a|b|ab)+c$");
    const costs = Array.from({ length: 4 }, () => spent(pattern, "ab".repeat(500)));
    expect(new Set(costs).size).toBe(1);
  });

  it("is empty once it has run out", () => {
    const budget = { steps: 10 };
    expect(() => compilePattern("a*a*b").test("a".repeat(1000), budget)).toThrow(BudgetError);
    expect(budget.steps).toBe(0);
  });

  it("limits a test even if none is given", () => {
    const large = compilePattern("(?:a?){400}a{400}b");
    expect(large.kind).toBe("linear");
    expect(() => large.test("a".repeat(100_000))).toThrow(BudgetError);
    expect(compilePattern("^[a-z]+$").test("a".repeat(1_000_000))).toBe(true);
  });
});

describe("the sequence matcher", () => {
  it.each<[string, string, boolean]>([
    ["^$", "", true],
    ["^", "a", true],
    ["^a{2,3}b*$", "aabb", true],
    ["^a{2,3}b*$", "aaaa", false],
    ["^a?b$", "b", true],
    ["^a*?b$", "aab", true],
    ["^[^,]*,x", "ab,xyz", true],
    ["^\\u{10400}{2}$", "\u{10400}\u{10400}", true],
    ["^.$", "\ud83d", true],
    ["^\\u{1f600}{2}$", "😀😀", true],
  ])("matches %s on %j", (source, text, valid) => {
    const pattern = compilePattern(source);
    expect([pattern.kind, pattern.test(text)]).toEqual(["sequence", valid]);
  });

  it.each(["a", "^a|b$", "^a+a$", "^a*b?a$", "^(a)$", "^a\\b$"])("does not handle %s", (source) => {
    expect(compilePattern(source).kind).toBe("linear");
  });
});
