import { expect, it } from "vitest";
import { hasOddLineBreaks } from "./event-bytes.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

it.each(["\v", "\f", "\x1c", "\x1d", "\x1e", "\u0085", "\u2028", "\u2029"])(
  "finds %j outside the checked message, wherever it is",
  (odd) => {
    const judged = bytes(`{"a":"${odd}${odd}"}`);
    const data = `data: {"a":"${odd}${odd}"}\n`;
    expect(hasOddLineBreaks(bytes(`${data}\n`), judged)).toBe(false);
    expect(hasOddLineBreaks(bytes(`event: message\nid: 7\n${data}\n`), judged)).toBe(false);
    for (const more of [`:${odd}data: {}\n`, `id: 7${odd}data: {}\n`, `da${odd}data: {}\n`]) {
      expect(hasOddLineBreaks(bytes(`${more}${data}\n`), judged)).toBe(true);
      expect(hasOddLineBreaks(bytes(`${more}\n`))).toBe(true);
    }
    expect(hasOddLineBreaks(bytes(`event: x\n${data}\n`))).toBe(true);
    const lines = bytes(`{"a":"${odd}",\n"b":1}`);
    const written = `data: {"a":"${odd}",\ndata: "b":1}\n`;
    expect(hasOddLineBreaks(bytes(`event: message\n${written}\n`), lines)).toBe(false);
    expect(hasOddLineBreaks(bytes(`:${odd}data: {}\n${written}\n`), lines)).toBe(true);
  },
);

it("finds a byte order mark in any context", () => {
  expect(hasOddLineBreaks(bytes("\ufeffdata:{}\n\n"), bytes("{}"))).toBe(true);
  expect(hasOddLineBreaks(bytes("\ufeffdata:{}\n\n"))).toBe(true);
});

it("ignores other characters", () => {
  expect(hasOddLineBreaks(bytes(": \u20ac \u00a9 \t \ud83d\ude00\nid: \u2030\n\n"))).toBe(false);
  expect(hasOddLineBreaks(bytes(": \uff01 \ufec0 \u2020 \ufb01\n\n"))).toBe(false);
});
