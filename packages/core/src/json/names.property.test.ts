import fc from "fast-check";
import { expect, it } from "vitest";
import { decodeString, stringEquals, unescapedBytes } from "./string.ts";
import { encodeUtf8 } from "./text.ts";

/** A name, written with some of its characters escaped. */
const written = fc.array(
  fc.record({
    unit: fc.oneof(
      fc.constantFrom(...'"\\/\b\f\n\r\tabcA_0'),
      fc.constantFrom("\u0000", "\u00e9", "\u017f", "\u20ac", "\ud83d\ude00"),
    ),
    escaped: fc.constantFrom("none", "short", "lower", "upper"),
  }),
  { maxLength: 12 },
);

function spelled({ unit, escaped }: { unit: string; escaped: string }): string {
  const short = JSON.stringify(unit).slice(1, -1);
  if (escaped === "none" || escaped === "short") return short;
  return Array.from({ length: unit.length }, (_, i) => {
    const digits = unit.charCodeAt(i).toString(16).padStart(4, "0");
    return `\\u${escaped === "upper" ? digits.toUpperCase() : digits}`;
  }).join("");
}

it("reads escaped names as JSON.parse does", () => {
  fc.assert(
    fc.property(written, fc.string({ maxLength: 3 }), (units, other) => {
      const name = units.map(({ unit }) => unit).join("");
      const text = encodeUtf8(`"${units.map(spelled).join("")}"`);
      const end = text.length - 1;
      expect(decodeString(text, 1, end)).toBe(name);
      expect(stringEquals(text, 1, end, name)).toBe(true);
      for (const wrong of [other, name.slice(1), `${name}a`, name.replace("a", "b")]) {
        expect(stringEquals(text, 1, end, wrong)).toBe(wrong === name);
      }
      const plain = unescapedBytes(text, 1, end);
      if (plain !== undefined) expect([...plain]).toEqual([...encodeUtf8(name)]);
    }),
    { numRuns: 2_000 },
  );
});
