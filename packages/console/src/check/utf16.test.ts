import { encodeUtf8 } from "@touchstone/core/advanced";
import fc from "fast-check";
import { expect, it } from "vitest";
import { utf16Offsets } from "./utf16.ts";

/** The first and last characters that take one, two, three and four bytes. */
const EDGES = "\x7f\x80\u07ff\u0800\ud800\uffff\u{10000}\u{10ffff}";

it("maps characters at the edges of each width", () => {
  const ends = [...EDGES].map((_, index, all) => all.slice(0, index + 1).join(""));
  const bytes = ends.map((start) => encodeUtf8(start).length);
  expect([...utf16Offsets(EDGES, bytes)]).toEqual(
    ends.map((start, index) => [bytes[index], start.length]),
  );
});

it("maps any character of any text, in any order", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const ends = [...text].map((_, index, all) => all.slice(0, index + 1).join("")).reverse();
      const offsets = utf16Offsets(
        text,
        ends.map((start) => encodeUtf8(start).length),
      );
      for (const start of ends) expect(offsets.get(encodeUtf8(start).length)).toBe(start.length);
    }),
  );
});
