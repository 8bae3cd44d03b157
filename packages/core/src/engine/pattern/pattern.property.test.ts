import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BudgetError } from "../../keywords/run.ts";
import { sample } from "../../testing/sample.ts";
import { analyzeBacktracking } from "./ambiguity.ts";
import { BacktrackingMatcher } from "./backtrack.ts";
import { linearMatcher } from "./linear.ts";
import { parsePattern } from "./parse.ts";
import { compilePattern, isPattern } from "./pattern.ts";

const literal = fc.constantFrom("a", "b", "-", "é", "😀", "\\.", "\\n", "\\u0041", "\\x62", "\\/");
const set = fc.constantFrom(
  ".",
  "\\d",
  "\\D",
  "\\w",
  "\\W",
  "\\s",
  "\\S",
  "[ab]",
  "[^a]",
  "[a-c\\d]",
  "[^]",
  "[]",
  "[^\\s\\S]",
  "[\\w-]",
  "[😀-😂]",
  "[\\ud800-\\udbff]",
  "[.^$]",
);
const unicodeOnly = fc.constantFrom("\\p{Lu}", "\\P{L}", "\\u{1F600}", "[^\\p{Script=Latin}]");
const legacyOnly = fc.constantFrom("\\-", "\\_", "{", "}", "]", "\\c1", "\\01", "a{,2}", "\\8");
const edge = fc.constantFrom("^", "$", "\\b", "\\B");
const repeat = fc.constantFrom("*", "+", "?", "*?", "+?", "??", "{2}", "{1,3}", "{0}", "{2,}");

function patternOf(extra: fc.Arbitrary<string>, looks: readonly string[]): fc.Arbitrary<string> {
  const { top } = fc.letrec<{ top: string; atom: string; item: string; sequence: string }>(
    (tie) => ({
      top: fc.oneof(
        { depthSize: "small" },
        tie("sequence"),
        tie("sequence").map((x) => `^${x}$`),
        tie("sequence").map((x) => `^${x}`),
        fc.tuple(tie("sequence"), tie("sequence")).map(([a, b]) => `${a}|${b}`),
      ),
      atom: fc.oneof(
        { depthSize: "small", withCrossShrink: true },
        literal,
        set,
        extra,
        tie("sequence").map((x) => `(?:${x})`),
        tie("sequence").map((x) => `(${x})`),
        fc.tuple(tie("sequence"), tie("sequence")).map(([a, b]) => `(?:${a}|${b})`),
      ),
      item: fc.oneof(
        { depthSize: "small" },
        tie("atom"),
        fc.tuple(tie("atom"), repeat).map(([a, r]) => a + r),
        edge,
        ...looks.map((open) => tie("sequence").map((x) => `(${open}${x})`)),
      ),
      sequence: fc.array(tie("item"), { maxLength: 4 }).map((items) => items.join("")),
    }),
  );
  return top;
}

const AHEAD = ["?=", "?!"];
const BEHIND = ["?<=", "?<!"];

const text = fc
  .array(
    fc.constantFrom(
      ..."aabbc-1.A_ \n\r\u2028\ufeffé😀{},8",
      "\ud83d",
      "\ude00",
      "\u0001",
      "ab",
      "aaaaaa",
    ),
    { maxLength: 10 },
  )
  .map((parts) => parts.join(""));

/** Searches for a match as ECMA-262, section 22.2.7.2, specifies. */
type Native = (text: string) => boolean;

/**
 * The runtime's own engine, started at every character in turn: left to itself, V8 finds empty
 * matches inside a surrogate pair, which are not places of the text in Unicode mode.
 */
function nativeOf(source: string): Native | undefined {
  for (const flags of ["uy", "y"]) {
    try {
      const expression = new RegExp(source, flags);
      return (subject) => {
        for (let at = 0; at <= subject.length; ) {
          expression.lastIndex = at;
          if (expression.test(subject)) return true;
          at += expression.unicode && (subject.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
        }
        return false;
      };
    } catch {
      // The pattern is invalid in this mode.
    }
  }
  return undefined;
}

/** Returns the result of a test, or undefined if the budget does not suffice. */
function orUndefined(run: () => boolean): boolean | undefined {
  try {
    return run();
  } catch (thrown) {
    if (thrown instanceof BudgetError) return undefined;
    throw thrown;
  }
}

/** A longer text may keep the runtime's engine busy for minutes, unless it is proven to be linear. */
const MOST_CHARACTERS = 12;

/**
 * Returns whether the runtime's engine gives the right result for this pattern and text, and soon enough. Around a
 * backreference that matches nothing, V8 in Node 20 and 22 misreads surrogates: it finds `(?=\1😀)()` in the second half
 * of one, and not `(?=\1😀)(a)?` in the whole.
 */
function isFit(source: string, subject: string): boolean {
  if (source.includes("\\1") && /[\ud800-\udfff]/.test(subject)) return false;
  return subject.length <= MOST_CHARACTERS || compilePattern(source).isNative;
}

/** Skips patterns that the runtime refuses, and texts that its engine cannot match correctly or in time. */
function check(
  patterns: fc.Arbitrary<string>,
  judge: (source: string, texts: readonly string[], native: Native) => void,
): void {
  fc.assert(
    fc.property(patterns, fc.array(text, { minLength: 1, maxLength: 8 }), (source, texts) => {
      const native = nativeOf(source);
      fc.pre(native !== undefined && source.length < 60);
      const fit = texts.filter((each) => isFit(source, each));
      judge(source, fit, native);
    }),
    { numRuns: sample(150, 600) },
  );
}

const kinds: readonly [string, fc.Arbitrary<string>][] = [
  ["Unicode mode", patternOf(unicodeOnly, [])],
  ["without Unicode mode", patternOf(legacyOnly, [])],
  ["lookahead", patternOf(literal, AHEAD)],
  ["lookahead without Unicode mode", patternOf(legacyOnly, AHEAD)],
  ["lookbehind", patternOf(literal, BEHIND)],
  ["both, with backreferences", patternOf(fc.constantFrom("\\1", "(a)\\1"), [...AHEAD, ...BEHIND])],
];

describe.each(kinds)("random patterns: %s", (_name, patterns) => {
  it("match like the native engine", () => {
    check(patterns, (source, texts, native) => {
      const pattern = compilePattern(source);
      for (const each of texts) expect(pattern.test(each)).toBe(native(each));
    });
  });

  it("match like the native engine with the automaton, if there is one", () => {
    let linear = 0;
    check(patterns, (source, texts, native) => {
      const matcher = linearMatcher(parsePattern(source));
      if (matcher === undefined) return;
      for (const each of texts) {
        if (matcher.wellFormedOnly && !each.isWellFormed()) continue;
        linear++;
        expect(matcher.test(each)).toBe(native(each));
      }
    });
    expect(linear).toBeGreaterThan(200);
  });

  it("match like the native engine with counted backtracking", () => {
    let judged = 0;
    check(patterns, (source, texts, native) => {
      const matcher = new BacktrackingMatcher(parsePattern(source));
      for (const each of texts) {
        const found = orUndefined(() => matcher.test(each, { steps: 1_000_000 }));
        // A random pattern may be one that takes exponential time.
        if (found === undefined) continue;
        judged++;
        expect(found).toBe(native(each));
      }
    });
    expect(judged).toBeGreaterThan(sample(200, 1_000));
  });
});

it.each<[string, boolean]>([
  ["\ude00", false],
  ["a\ude00", false],
  ["😀", true],
])("reads surrogates around a backreference like the specification: %j", (subject, matches) => {
  expect(compilePattern("(?=\\1😀)()").test(subject)).toBe(matches);
  expect(compilePattern("(?=\\1😀)(a)?").test(subject)).toBe(matches);
});

describe("patterns proven to be linear", () => {
  const short = fc.constantFrom("", "a", "ab", "ba", "a1", "-a", "aab", "😀", "ab-");
  const long = fc
    .tuple(short, short, fc.integer({ min: 1, max: 60 }), short)
    .map(([head, unit, times, tail]) => head + unit.repeat(times) + tail);

  it.each(kinds)("stay within their work bound: %s", (_name, patterns) => {
    let proven = 0;
    fc.assert(
      fc.property(patterns, fc.array(long, { minLength: 4, maxLength: 8 }), (source, texts) => {
        fc.pre(nativeOf(source) !== undefined && source.length < 60);
        const parsed = parsePattern(source);
        const { bound } = analyzeBacktracking(parsed);
        if (bound === undefined) return;
        proven++;
        const { fixed, perCharacter } = bound;
        // The engine that counts its steps also spends steps on the groups that it remembers.
        const groups = source.match(/\((?!\?)/g)?.length ?? 0;
        const matcher = new BacktrackingMatcher(parsed);
        for (const each of texts) {
          const budget = { steps: 10_000_000 };
          matcher.test(each, budget);
          const work = (10_000_000 - budget.steps) / 5;
          const most = 4 * (1 + groups) * (fixed + perCharacter * (each.length + 1));
          expect(work).toBeLessThanOrEqual(most);
        }
      }),
      { numRuns: sample(300, 1000) },
    );
    expect(proven).toBeGreaterThan(sample(30, 100));
  });
});

describe("isPattern, which uses the runtime's parser", () => {
  const parsed = (source: string): boolean => {
    try {
      parsePattern(source);
      return true;
    } catch {
      return false;
    }
  };
  const parts =
    "a \\ \\d \\p{L} \\k<n> \\1 \\u{61} \\- [ ] ^ - ( (?: (?<n> (?= (?! (?<= (?<! (?i: (? ) * + ? { } {2} {2,1} , | . $ / é 😀";
  const noise = fc
    .array(fc.constantFrom(...parts.split(" ")), { maxLength: 8 })
    .map((list) => list.join(""));

  it("accepts exactly what the parser accepts", () => {
    fc.assert(
      fc.property(fc.oneof(noise, fc.string()), (source) => {
        expect(isPattern(source)).toBe(parsed(source));
      }),
      { numRuns: sample(1_000, 3_000) },
    );
  });
});
