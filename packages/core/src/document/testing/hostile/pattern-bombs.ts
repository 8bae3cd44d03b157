import { type HostileCase, many, row, text } from "./case.ts";

/** Returns a text of this many different characters. */
function distinct(count: number): readonly string[] {
  return many(count, (i) => String.fromCodePoint(0x4e00 + i));
}

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
  ["[ab]{1,60}c", "ab", /violation|budget/],
  ["^(?:a|a){6}a*b", "a", /violation|budget/],
  [`^${"(?=.*b)".repeat(70)}c`, "a", /violation|budget/],
  [`^(?:${distinct(340).join("?")}?){12}$`, "a", /violation|budget/],
  [`^${"(?:|a?)".repeat(60)}b$`, "a", /violation|budget/],
  ["^[\\p{L}\\p{N}]+(?:[\\p{L}\\p{N}]*)*$", "é", /violation|budget/],
];

export const BOMB_CASES: readonly HostileCase[] = BOMBS.flatMap(([pattern, unit, outcome]) => {
  const shown = pattern.length > 40 ? `${pattern.slice(0, 40)}…` : pattern;
  const one = [30, 100_000].map((length) =>
    row(
      `${shown} on ${length} characters`,
      () => ({ pattern }),
      () => text(length, unit),
      outcome,
    ),
  );
  const empty = row(
    `${shown} on no text`,
    () => ({ pattern }),
    () => '""',
    /pass|violation|budget|uncompilable/,
  );
  const texts = (count: number) => () => `[${many(count, () => text(100, unit)).join()}]`;
  const list = row(
    `${shown} on 10,000 texts of 100 characters`,
    () => ({ items: { pattern } }),
    texts(10_000),
    outcome,
    texts(1_000),
  );
  return [empty, ...one, list];
});
