import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { long, sample } from "../../testing/sample.ts";
import { findText, type WantedText } from "./find-text.ts";
import { compilePattern, isPattern } from "./pattern.ts";
import { TYPICAL } from "./testing/typical.ts";

const STEPS = 300_000;
const NEVER = { kind: "none" } as const;
const find = (matched: readonly string[], missed: readonly string[] = [], more = {}) =>
  findText({ matched, missed, ...more }, STEPS);
const text = (found: string) => ({ kind: "found", text: found });

describe("findText", () => {
  it.each<[string, readonly string[], readonly string[], Partial<WantedText>, object]>([
    ["nothing is asked", [], [], {}, text("")],
    ["one character less", ["^[a-z]{1,64}$"], ["^[a-z]{1,63}$"], {}, text("a".repeat(64))],
    ["one character more", ["^[a-z]{1,63}$"], ["^[a-z]{1,64}$"], {}, NEVER],
    ["another spelling", ["^[0-9]+$"], ["^\\d+$"], {}, NEVER],
    ["a letter less", ["^[a-z_-]+$"], ["^[a-z_]+$"], {}, text("-")],
    ["a word less", ["^[a-z]+$"], ["^(?!delete$)[a-z]+$"], {}, text("delete")],
    ["a pair of surrogates", ["^[\\0-\\u{10ffff}]*$"], ["^[\\0-\\uffff]*$"], {}, text("\u{10000}")],
    ["a character of Unicode", ["^.$"], ["^[\\0-\\u{10fffe}]$"], {}, text("\u{10ffff}")],
    ["a half of a pair", ["^[\\u{ff00}-\\u{10000}]*$", "\\ud800$"], [], {}, NEVER],
    [
      "without Unicode mode, two units",
      ["^\\_.{2}$"],
      ["^_[ -~]*$"],
      { maxLength: 2 },
      text("_\u{10000}"),
    ],
    [
      "lookaheads",
      ["^(?=.*\\d)(?=.*[A-Z])(?=.*[a-z])[A-Za-z0-9]{12,64}$"],
      [],
      { maxLength: 11 },
      NEVER,
    ],
    ["a lookbehind", ["^.{3}(?<=abc)xyz[0-9]{9}$"], [], {}, text("abcxyz111111111")],
    ["a lookbehind that misses", ["^(?!-)[a-c-]+(?<!-)$"], ["^[a-c](?:[a-c-]*[a-c])?$"], {}, NEVER],
    ["a lookbehind in a repeat", ["^(?:a|b(?<!bb))+$"], ["^b?(?:a+b?)*$"], {}, NEVER],
    ["borders of words", ["\\bfoo\\b"], ["(?:^|\\W)foo(?:\\W|$)"], {}, NEVER],
    ["no border of a word", ["foo", "^\\w*$"], ["\\Bfoo", "foo\\B"], {}, text("foo")],
    ["empty rounds", ["^(?:a*)*$"], ["^a*$"], {}, NEVER],
    ["rounds that look ahead", ["^(?:(?=ab)a|b)*$"], ["^(?:ab|b)*$"], {}, NEVER],
    ["a least length", ["a"], [], { minLength: 3 }, text("aaa")],
    ["lengths", ["^(?:ab)*$"], [], { minLength: 3, maxLength: 3 }, NEVER],
    ["lengths in characters", ["^[^ -~]{2}$"], [], { maxLength: 1 }, NEVER],
    ["a backreference", ["^(a)\\1$"], [], {}, { kind: "unknown" }],
    ["a repeated look inside a lookbehind", ["(?<=(?:a|(?<!)){1,3})"], [], {}, { kind: "unknown" }],
    ["no pattern", ["("], [], {}, { kind: "unknown" }],
  ])("%s", (_, matched, missed, more, wanted) => {
    expect(find(matched, missed, more)).toEqual(wanted);
  });

  it("stops after its steps, and comes to the same end each time", () => {
    const hard = ["(?:a|b)*a(?:a|b){14}c$"];
    const found = [0, 1].map(() => findText({ matched: hard, missed: ["^.*$"] }, 20_000));
    expect(found).toEqual([{ kind: "unknown" }, { kind: "unknown" }]);
  });

  it("finds a text for each typical pattern, and none that its own pattern misses", () => {
    for (const source of TYPICAL) {
      const found = find([source]);
      if (source.includes("\\1")) expect(found).toEqual({ kind: "unknown" });
      else if (found.kind !== "found") expect.fail(`${source}: ${found.kind}`);
      else expect([source, compilePattern(source).test(found.text)]).toEqual([source, true]);
      expect([source, find([source], [source]).kind]).not.toEqual([source, "found"]);
    }
  });
});

const piece = fc.constantFrom(
  ..."a b - é 😀 . \\d \\W \\S [ab] [^a] [a-c\\d] [^] [] [\\ud800-\\udbff] \\- \\_ ^ $ \\b \\B".split(
    " ",
  ),
);
const repeat = fc.constantFrom("", "", "*", "+", "?", "{2}", "{1,3}", "{0}", "{2,}");
const { pattern } = fc.letrec<{ pattern: string; item: string }>((tie) => ({
  pattern: fc
    .array(tie("item"), { maxLength: 4 })
    .map((items) => items.join(""))
    .filter((source) => source.length < 50),
  item: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.tuple(piece, repeat).map(([one, times]) => (/[$^bB]$/.test(one) ? one : one + times)),
    fc.tuple(tie("pattern"), tie("pattern"), repeat).map(([a, b, r]) => `(?:${a}|${b})${r}`),
    fc
      .tuple(fc.constantFrom("?=", "?!", "?<=", "?<!"), tie("pattern"))
      .map(([open, source]) => `(${open}${source})`),
  ),
}));
const someText = fc
  .array(fc.constantFrom(..."aabbc-1._ \né😀", "\ud83d", "\ude00"), { maxLength: 8 })
  .map((parts) => parts.join(""));

describe("what findText says of random patterns", () => {
  it("is true of texts that are tried", long, () => {
    const seen = { found: 0, none: 0, unknown: 0 };
    fc.assert(
      fc.property(pattern, pattern, fc.array(someText, { maxLength: 40 }), (one, other, texts) => {
        fc.pre(isPattern(one) && isPattern(other));
        const [first, second] = [compilePattern(one), compilePattern(other)];
        const isOne = (each: string) => first.test(each) && !second.test(each);
        const found = find([one], [other]);
        seen[found.kind] += 1;
        if (found.kind === "found")
          expect([found.text, isOne(found.text)]).toEqual([found.text, true]);
        if (found.kind === "none") expect(texts.filter(isOne)).toEqual([]);
      }),
      { numRuns: sample(1_000, 5_000, 50_000) },
    );
    expect(seen.found).toBeGreaterThan(sample(100, 500));
    expect(seen.none).toBeGreaterThan(sample(100, 500));
    expect(seen.unknown).toBeLessThan(sample(300, 1_500, 15_000));
  });
});
