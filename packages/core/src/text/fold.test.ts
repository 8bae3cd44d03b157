import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { sample } from "../testing/sample.ts";
import { type Comparison, foldText, MAX_FOLDED, toNfkc, tooLongToFold } from "./fold.ts";

const COMPARISONS: readonly Comparison[] = ["name", "member", "method", "search"];

const plainOf = (text: string): string => (text.split("\0")[0] ?? "").normalize("NFKC");
const casedOf = (text: string): string =>
  [...plainOf(text)]
    .filter((each) => !/[\s\p{C}\p{Default_Ignorable_Code_Point}]/u.test(each))
    .map((each) => (/[\u0130\u0131]/.test(each) ? "i" : each))
    .join("")
    .toLowerCase()
    .toUpperCase()
    .toLowerCase();

/** The same results, computed directly from the definition and without a limit on length. */
const REFERENCES: Readonly<Record<Comparison, (text: string) => string>> = {
  name: (text) => casedOf(text).normalize("NFKC"),
  member: (text) =>
    text
      .replaceAll("\0", "")
      .replaceAll("_", "")
      .replaceAll("\u017f", "s")
      .replaceAll("\u212a", "k")
      .replaceAll("\u0130", "i")
      .replaceAll("\u0131", "i")
      .toLowerCase(),
  method: (text) =>
    REFERENCES.member([...text].filter((each) => !/[\s\p{C}]/u.test(each)).join("")),
  search: (text) => text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase(),
};

const odd = fc.constantFrom(
  ...[
    "\0",
    "_",
    " ",
    "\u200b",
    "\u0301",
    "\u0323",
    "\u0345",
    "\u3099",
    "\ufdfa",
    "\ufb03",
    "ß",
    "ẞ",
  ],
  ...[
    "İ",
    "ı",
    "ſ",
    "\u212a",
    "Σ",
    "ς",
    "ΐ",
    "ﬗ",
    "\u1100\u1161\u11a8",
    "ｐ",
    "\ud800",
    "\udfff",
    "𝐀",
  ],
);
const unit = fc.oneof(
  odd,
  fc.string({ unit: "binary", maxLength: 3 }),
  fc.string({ unit: "grapheme-ascii", maxLength: 3 }),
);
const short = fc.array(unit, { maxLength: 40 }).map((units) => units.join(""));
const long = fc
  .tuple(unit, fc.integer({ min: 0, max: 1_500 }))
  .map(([one, count]) => one.repeat(count));

describe.each(COMPARISONS)("a text folded to be compared as %s", (by) => {
  it("equals the reference without a bound, as far as no form has more than 1,024 characters", () => {
    fc.assert(
      fc.property(fc.oneof(short, long), (text) => {
        const expected = REFERENCES[by](text);
        const between = by === "name" ? [plainOf(text), casedOf(text)] : [];
        const isBounded = [text, expected, ...between].every(({ length }) => length <= MAX_FOLDED);
        expect(foldText(text, by)).toBe(isBounded ? expected : undefined);
      }),
      { numRuns: sample(1_000, 20_000) },
    );
  });

  it("equals the reference for each character", () => {
    for (let code = 0; code <= 0x10ffff; code += sample(7, 1)) {
      const text = String.fromCodePoint(code);
      if (foldText(text, by) !== REFERENCES[by](text)) expect(text).toBe(`differs: ${code}`);
    }
  });
});

it.each(["name", "member", "method"] as const)("does not change again as %s", (by) => {
  fc.assert(
    fc.property(short, (text) => {
      const once = foldText(text, by) ?? "";
      expect(foldText(once, by)).toBe(once);
    }),
    { numRuns: sample(2_000, 20_000) },
  );
  for (let code = 0; code <= 0x10ffff; code += sample(7, 1)) {
    const once = foldText(String.fromCodePoint(code), by) ?? "";
    if (foldText(once, by) !== once) expect(once).toBe(`changes again: ${code}`);
  }
});

describe("a bound", () => {
  afterEach(() => void vi.restoreAllMocks());

  const HOSTILE = [
    "A".repeat(15_000_000),
    `a${"\u0301\u0323".repeat(50_000)}`,
    "\ufdfa".repeat(100_000),
    "\0".repeat(MAX_FOLDED + 1),
  ];

  it.each(COMPARISONS)("is checked before anything is done to the text: as %s", (by) => {
    const methods = ["normalize", "replace", "toLowerCase", "toUpperCase", "split"] as const;
    const spies = methods.map((name) => vi.spyOn(String.prototype, name));
    const found = HOSTILE.map((text) => foldText(text, by));
    const calls = spies.flatMap((spy) => spy.mock.calls);
    vi.restoreAllMocks();
    expect(found).toEqual([undefined, undefined, undefined, undefined]);
    expect(calls).toEqual([]);
  });

  it("holds for the result, too", () => {
    expect(foldText("\ufdfa".repeat(56), "name")).toHaveLength(56 * 15);
    expect(foldText("\ufdfa".repeat(57), "name")).toBeUndefined();
    expect(foldText("\ufdfa".repeat(MAX_FOLDED), "member")).toHaveLength(MAX_FOLDED);
  });

  it("is named in the text about a name, with its length", () => {
    expect(tooLongToFold("A".repeat(10_001))).toBe(
      "has 10,001 characters, and names of more than 1,024 cannot be compared with others",
    );
    expect(tooLongToFold("A".repeat(16_385))).toBe(
      "has more than 16,384 characters, and names of more than 1,024 cannot be compared with others",
    );
    expect(tooLongToFold("\ufdfa".repeat(69))).toBe(
      "has 69 characters that programs may read as more than 1,024, and names of more than 1,024 cannot be compared with others",
    );
  });

  it("is required of texts to be normalized", () => {
    expect(toNfkc("ｐ")).toBe("p");
    expect(() => toNfkc("a".repeat(MAX_FOLDED + 1))).toThrow(RangeError);
  });
});
