import fc from "fast-check";
import { expect, test } from "vitest";
import { compileDeclared } from "../compile.ts";

test("maxLength and minLength count Unicode characters, a lone surrogate as one", () => {
  const unit = fc.constantFrom("a", "é", "\u{1f600}", "\ud83d", "\ude00");
  const text = fc.array(unit, { maxLength: 10 }).map((units) => units.join(""));
  for (let limit = 0; limit <= 6; limit++) {
    const most = compileDeclared({ value: { maxLength: limit } });
    const least = compileDeclared({ value: { minLength: limit } });
    for (let i = 0; i < 5; i++) for (const schema of [most, least]) schema.isValid("");
    fc.assert(
      fc.property(text, (value) => {
        const length = [...value].length;
        expect([most.isValid(value), least.isValid(value)]).toEqual([
          length <= limit,
          length >= limit,
        ]);
      }),
    );
  }
});
