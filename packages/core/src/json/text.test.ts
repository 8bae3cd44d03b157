import fc from "fast-check";
import { expect, it } from "vitest";
import { encodeTransient, encodeUtf8 } from "./text.ts";

const copy = (text: string): Uint8Array => encodeTransient(text).slice();

it("encodes into shared memory as into new memory, whatever was there before", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (before, text) => {
      copy(before);
      expect(copy(text)).toEqual(encodeUtf8(text));
    }),
  );
});

it.each([
  ["", 0],
  ["a", 262_144],
  ["é", 262_144],
  ["\u2028", 262_144],
  ["\ud800", 262_144],
  ["\u{1f600}", 131_072],
  ["\u2028", 262_145],
])("encodes %j, %d times", (character, times) => {
  const text = character.repeat(times);
  expect(Buffer.compare(copy(text), encodeUtf8(text))).toBe(0);
});

it("gives the memory of one text to the next, except to one that is too long for it", () => {
  const [long, text] = ["x".repeat(262_145), "y".repeat(100)];
  const first = encodeTransient(text);
  const apart = encodeTransient(long);
  expect(encodeTransient(text).buffer).toBe(first.buffer);
  expect(apart.buffer).not.toBe(first.buffer);
});
