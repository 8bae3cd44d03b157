import { type HostileCase, many, object, row, text } from "./case.ts";

/** Patterns near the limit on their length. */
const LONG = 8_000;
const filled = (unit: string) => unit.repeat(Math.floor(LONG / unit.length));
const LONG_PATTERNS: readonly (readonly [string, string])[] = [
  ["groups", filled("(a)")],
  ["optional groups", filled("(a)?")],
  ["starred groups", filled("(?:a*)*")],
  ["alternatives", `^(?:${filled("a|")}b)*$`],
  ["anchored alternatives", `^(?:${many(1_000, (i) => `v${i}`).join("|")})$`],
  ["classes", filled("[a-z]")],
  ["wide classes", `[${many(4000, (i) => String.fromCodePoint(0x1000 + 2 * i)).join("")}]+b`],
  ["negated classes", filled("[^\\w\\s]")],
  ["unicode properties", filled("\\p{L}")],
  ["starred unicode properties", filled("\\p{Lu}*")],
  ["lookaheads", `^${filled("(?=a)")}`],
  ["lookaheads of stars", `^${filled("(?!a*b)")}a*$`],
  ["lookbehinds", `${filled("(?<=a)")}b`],
  ["mixed lookarounds", filled("(?=a)(?<=b)")],
  ["backreferences", `(a)${filled("\\1")}`],
  ["captures with backreferences", `${"(a)".repeat(2000)}${"\\2000".repeat(500)}`],
  ["named groups", many(800, (i) => `(?<n${i}>a)`).join("")],
  ["repeats", filled("a{50}")],
  ["large repeats", filled("(?:a{1000}){1000}")],
  ["ranges of repeats", filled("a{0,1000}")],
  ["repeats in repeats", `${"(?:".repeat(190)}a${"{2})".repeat(190)}`.replace("){", "){")],
  ["nested groups", `${"(".repeat(200)}a${")*".repeat(200)}`],
  ["astral characters", filled("😀?")],
  ["word edges", filled("\\ba\\B")],
  ["not Unicode mode", `\\-${filled("[\\w-x]*")}`],
];

export const LONG_CASES: readonly HostileCase[] = LONG_PATTERNS.map(([name, pattern]) =>
  row(
    `8 KB of ${name} in a pattern`,
    () => ({ pattern }),
    () => text(10_000),
    /pass|violation|budget|uncompilable/,
  ),
);

export const MANY_PATTERN_CASES: readonly HostileCase[] = [
  ["starred groups", (i: number) => `^(?:a${i}|b+)*c${i}$`, 3_000],
  ["lookarounds", (i: number) => `(?=a${i}(?:b|c)*)(?<!d)e`, 3_000],
  ["unicode properties", (i: number) => `^\\p{L}${i}(?:\\p{N}|x)*\\p{L}+$`, 3_000],
  ["repeats", (i: number) => `(?:a${i}{900}){5}`, 3_000],
  ["groups of 4 KB", (i: number) => `${i}${"(a|b)*".repeat(680)}`, 200],
  ["plain text", (i: number) => `^x-${i}-[a-z]+$`, 9_000],
].map(([kind, make, count]) =>
  row(
    `${count} patterns of ${kind}`,
    () => ({
      properties: object(count as number, (i) => ({ pattern: (make as (i: number) => string)(i) })),
    }),
    () => JSON.stringify(object(200, () => "ab".repeat(50))),
    /pass|violation|budget|uncompilable/,
  ),
);
