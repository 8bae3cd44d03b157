import { describe, expect, it } from "vitest";
import { BudgetError } from "../../keywords/run.ts";
import { compilePattern } from "./pattern.ts";

/** Patterns on which backtracking takes exponential or polynomial time. */
const CATASTROPHIC: readonly (readonly [string, string])[] = [
  ["^(a+)+$", "a"],
  ["^(a*)*$", "a"],
  ["^(a?)*$", "a"],
  ["^(a|a)*$", "a"],
  ["(a|a)*b", "a"],
  ["(a|aa)+$", "a"],
  ["a*a*b", "a"],
  ["^a*a*$", "a"],
  ["a+b", "a"],
  ["[a-z]+\\d", "a"],
  ["^(.*a){20}$", "a"],
  ["^(.*?,){11}P", "1,"],
  ["^(([a-z])+.)+[A-Z]([a-z])+$", "a"],
  ["^([a-zA-Z0-9])(([\\-.]|[_]+)?([a-zA-Z0-9]+))*(@){1}[a-z0-9]+$", "a"],
  [
    "^([0-9a-zA-Z]([-.\\w]*[0-9a-zA-Z])*@(([0-9a-zA-Z])+([-\\w]*[0-9a-zA-Z])*\\.)+[a-z]{2,9})$",
    "a",
  ],
  ["^(?:[a-z0-9]+-?)*$", "a"],
  ["^(\\w+\\s?)*$", "a"],
  ["\\s+$", " "],
  ["^\\s*(\\S+\\s*)*;$", "a "],
  ["^(a|b|ab)*c$", "ab"],
  ["(?:a{0,5}){0,20}$", "a"],
  ["^(?=(a+)+$)", "a"],
  ["^(?!(a+)+$)a*$", "a"],
  ["(?<=(?:a+)+)b", "a"],
  ["(x+x+)+y", "x"],
  ["^(?:a?){30}a{30}$", "a"],
];

describe("patterns that hang a backtracking engine", () => {
  it.each(CATASTROPHIC)("runs %s in linear time", (source, unit) => {
    const pattern = compilePattern(source);
    expect(pattern.kind).toBe("linear");
    for (const length of [30, 100_000]) {
      const text = `${unit.repeat(length / unit.length)}!`;
      const budget = { steps: 100_000_000 };
      expect(pattern.test(text, budget)).toBeTypeOf("boolean");
      // The bound is linear: the steps of the first trial, and the size of the program for each character.
      expect(100_000_000 - budget.steps).toBeLessThan(1_000 + 860 * text.length);
    }
  });

  it.each([
    ["^(a+)+$", false],
    ["a*a*b", false],
    ["^(.*a){20}$", false],
    ["^(?!(a+)+$)a*!$", true],
  ])("gets a result for %s", (source, valid) => {
    const budget = { steps: 1_000_000 };
    expect(compilePattern(source).test(`${"a".repeat(5000)}!`, budget)).toBe(valid);
  });

  it.each([
    "^(a+)+\\1$",
    "^(?:(a+)+\\1)+b$",
    "(?=(a+)+$)(?<!b)c|\\b(?<=(a|aa)*)(?=(a|aa)*b)c",
    "(a*)*\\1b",
  ])("stops %s, which has no linear form, at its budget", (source) => {
    const pattern = compilePattern(source);
    expect(pattern.kind).toBe("backtracking");
    for (const length of [30, 100_000]) {
      const budget = { steps: 10_000 };
      expect(() => pattern.test(`${"a".repeat(length)}!`, budget)).toThrow(BudgetError);
    }
  });
});

describe("patterns passed to the native engine", () => {
  it.each([
    "^[a-z0-9-]+$",
    "^\\d{4}-\\d{2}$",
    "foo",
    "^$",
    "",
    "^.{1,2048}$",
    "^.{0,65535}$",
    "^[^\\s@]+@[^\\s@.]+(?:\\.[^\\s@.]+)+$",
    "^(?:get|post|put|delete)$",
    "^(GET|POST|PUT|PATCH)$",
    "^#[0-9a-f]{6}$|^#[0-9a-f]{3}$",
    "^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$",
    "^a+(?:-a+)*$",
    "^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\\.)+[a-z]{2,}$",
    "^[a-zA-Z0-9_.-]+\\.(png|svg|gif)$",
    "^(?=.*[a-z])(?=.*\\d).{8,}$",
    "^P(?!$)(\\d+Y)?(T(?=\\d)(\\d+H)?(\\d+M)?)?$",
    "^(?!.*//)[a-z/]+$",
    "^(?=a)b*$",
    "^(?:ab?){1,5}(?:b|a)*$",
    "foo\\d+bar",
    // The patterns of zod 4 for e-mail addresses, IPv4 addresses, base64, URL-safe base64, hosts and durations.
    "^(?:[A-Za-z0-9_'+\\-]+\\.)*[A-Za-z0-9_'+\\-]*[A-Za-z0-9_+-]@(?:[A-Za-z0-9][A-Za-z0-9\\-]*\\.)+[A-Za-z]{2,}$",
    "^(?:(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9][0-9]|[0-9])\\.){3}(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9][0-9]|[0-9])$",
    "^$|^(?:[0-9a-zA-Z+/]{4})*(?:(?:[0-9a-zA-Z+/]{2}==)|(?:[0-9a-zA-Z+/]{3}=))?$",
    "^(?:[A-Za-z0-9_-]{4})*(?:[A-Za-z0-9_-]{2,3})?$",
    "^(?=.{1,253}\\.?$)[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\\.[a-zA-Z0-9](?:[-0-9a-zA-Z]{0,61}[0-9a-zA-Z])?)*\\.?$",
    "^P(?:(\\d+W)|(?!.*W)(?=\\d|T\\d)(\\d+Y)?(\\d+M)?(\\d+D)?(T(?=\\d)(\\d+H)?(\\d+M)?(\\d+([.,]\\d+)?S)?)?)$",
    `^(?:${[..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"].join("x|")})+$`,
    "[a-z0-9][a-z0-9-]{1,61}[a-z0-9]",
    "^(?:(?=.*a)b)?c*$",
    "^(?:b|c{8})(?=.*a)d*$",
    "^a*\\Bb$",
    "^(?:(?:a{12}){6}b){12}c*$",
    "^a+a{3}$",
    "^[a-z.]+\\.[a-z]+$",
    "^(?:\\d{1,3}\\.){3}\\d{1,3}$",
    "^(?=(?=.*a)b).*$",
    "(?:a|ab)c*d",
    "^(?:0|[1-9]\\d*)\\.(?:0|[1-9]\\d*)$",
    "^\\p{Lu}\\p{Ll}*$",
    "^x-",
    "\\S",
    "\\S+",
    ".*",
    "^/.*",
    "foo.*",
  ])("include %j, proven to be linear", (source) => {
    expect(compilePattern(source).isNative).toBe(true);
  });

  it.each([
    "^(a+)*$",
    "^(a*)+$",
    "^(a?b?)*$",
    "^(|a|)*b$",
    "^(?:|a?)(?:|a?)*b$",
    "^[a-z]+[a-z0-9]*$",
    "^(?:a|b|[ac])+$",
    "^a*a+$",
    "^a{2,}a{2,}$",
    "^(?:a{2,3}){2,}$",
    "^.*,.*$",
    "a+$",
    "a+b",
    "(?:a+)+",
    "(?:)*\\B",
    "^(?:a+){3}$",
    "^(a)\\1*$",
    "foo.*bar",
    "^(?:a(?=a*b))+$",
    "^.{20}(?=.*a)",
    "^(?=(?:a|ab|b)+$)",
    "(?=a)b",
    "^(?<=a)b*$",
    "^(?:(?:a?){12}b)*$",
    "^(?:a|a){12}b*$",
    "^(?:a|a){8}b*$",
    "^(?:(?=.*a)b){2}c*$",
    "^(?:b|c{9})(?=.*a)d*$",
    "^(?:a*|b*)c*$",
    "\\Bb\\d+x",
    "^(?:(?:a{12}){12}b){12}c*$",
  ])("exclude %j", (source) => {
    expect(compilePattern(source).isNative).toBe(false);
  });

  it("exclude a pattern with many ways to match nothing", () => {
    const pattern = compilePattern(`^${"(?:|a?)".repeat(60)}b$`);
    expect([pattern.isNative, pattern.test("")]).toEqual([false, false]);
  });
});
