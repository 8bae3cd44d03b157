import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { visible, visiblePieces } from "./visible.ts";

describe("visiblePieces", () => {
  it.each([
    ["plain", "plain"],
    ["two\nlines\tand a tab", "two\nlines\tand a tab"],
    ["safe\u202etxt.exe", "safe[U+202E]txt.exe"],
    ["zero\u200bwidth", "zero[U+200B]width"],
    ["\u0000\u001b[31m", "[U+0000][U+001B][31m"],
    ["a\u{e0061}b", "a[U+E0061]b"],
    ["\ud800", "[U+D800]"],
    ["\r\n", "[U+000D]\n"],
    ["\u2028", "[U+2028]"],
    ["\u3164", "[U+3164]"],
    ["family 👨‍👩‍👧 and ❤️", "family 👨‍👩‍👧 and ❤️"],
    ["a\u200db", "a[U+200D]b"],
    ["\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}", "🏴󠁧󠁢󠁥󠁮󠁧󠁿"],
    ["\u{1f3f4}\u{e0067}x", "🏴[U+E0067]x"],
    ["1\ufe0f\u20e3 and 1\ufe0fx", "1️⃣ and 1[U+FE0F]x"],
    ["❤️\u200b❤️", "❤️[U+200B]❤️"],
    ["", ""],
  ])("for %j read %j", (text, expected) => {
    expect(visible(text)).toBe(expected);
  });

  it("distinguish a hidden character from text that looks like its name", () => {
    expect(visiblePieces("[U+202E]\u202e")).toEqual([
      { text: "[U+202E]", hidden: false },
      { text: "[U+202E]", hidden: true },
    ]);
  });

  /** Parts of emoji together with hiding characters, so that they are combined. */
  const unit = fc.constantFrom(
    ...[
      "a",
      "1",
      "#",
      "\n",
      "\t",
      "\0",
      "\u202e",
      "\u200b",
      "\u200d",
      "\ufe0f",
      "\u20e3",
      "\ud800",
    ],
    ...["👨", "👧", "❤", "🏻", "🏴", "\u{e0067}", "\u{e007f}", "🇩", "🇪", "\u2028", "\ue000", "é"],
  );

  it("contain no hidden character, and every visible one", () => {
    fc.assert(
      fc.property(fc.string({ unit }), (text) => {
        expect(visible(visible(text))).toBe(visible(text));
        const seen = visiblePieces(text).filter(({ hidden }) => !hidden);
        let at = 0;
        for (const piece of seen) {
          at = text.indexOf(piece.text, at);
          expect(at).toBeGreaterThanOrEqual(0);
          at += piece.text.length;
        }
      }),
    );
  });
});
