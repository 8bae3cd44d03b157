import fc from "fast-check";
import { afterEach, expect, it, vi } from "vitest";
import { MAX_SEARCHED, searchable, searchWords } from "./search.ts";

afterEach(() => void vi.restoreAllMocks());

it("ignores case and accents, wherever a text is split into pieces", () => {
  const unit = fc.constantFrom("a", "É", "ﬃ", "ﷺ", "한", "😀", "𝐀", " ", "ß", "İ");
  fc.assert(
    fc.property(fc.array(unit, { maxLength: 400 }), (units) => {
      const text = units.join("");
      expect(searchable(text)).toBe(text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase());
    }),
  );
});

it("normalizes no long text at once, and searches its beginning", () => {
  const normalize = vi.spyOn(String.prototype, "normalize");
  const lengths = (): readonly number[] =>
    normalize.mock.contexts.map((context) => String(context).length);
  const text = `é${"\u0301\u0323".repeat(500_000)}`;
  expect(searchable(text)).toBe("e");
  expect(Math.max(...lengths())).toBeLessThanOrEqual(56);
  expect(lengths().reduce((sum, length) => sum + length, 0)).toBeLessThanOrEqual(MAX_SEARCHED + 56);
  expect(searchWords(`  Über\tÉtat ${"x".repeat(1e6)}`).slice(0, 2)).toEqual(["uber", "etat"]);
});
