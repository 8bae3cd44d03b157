import { type HostileCase, row, text } from "./case.ts";

/** Patterns that cost a matcher, or its compiler, more than their length suggests. */
const BOMBS: readonly (readonly [string, string, RegExp])[] = [
  ["^(a+)+$", "a", /violation|budget/],
  ["a*a*b", "a", /violation|budget/],
  ["^(?=(a+)+b)", "a", /violation|budget/],
  ["(?=(a+)+$)(?<!b)c", "a", /violation|budget/],
  ["^(a+)+\\1$", "a", /violation|budget/],
  ["^(?:(a+)+\\1)+b$", "a", /violation|budget/],
  ["(?:a{1000}){1000}", "a", /violation|budget|uncompilable/],
  ["^(?:a{0,1000}){0,1000}$", "a", /violation|budget|uncompilable/],
  ["^(?:(?:a{1,10}){1,10}){1,10}b$", "a", /violation|budget/],
  ["(?=a{1000}{1000})", "a", /uncompilable/],
  [`^${"(?:a?b?c?d?)?".repeat(40)}$`, "abcd", /violation|budget/],
  [`${"(a|b)*".repeat(300)}c`, "ab", /violation|budget|uncompilable/],
  ["^[\\p{L}\\p{N}]+(?:[\\p{L}\\p{N}]*)*$", "é", /violation|budget/],
];

export const BOMB_CASES: readonly HostileCase[] = BOMBS.flatMap(([pattern, unit, outcome]) =>
  [30, 100_000].map((length) => {
    const shown = pattern.length > 40 ? `${pattern.slice(0, 40)}…` : pattern;
    return row(
      `${shown} on ${length} characters`,
      () => ({ pattern }),
      () => text(length, unit),
      outcome,
    );
  }),
);
