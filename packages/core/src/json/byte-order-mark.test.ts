import { expect, it } from "vitest";
import { hasByteOrderMark, withoutByteOrderMark } from "./text.ts";

it.each([
  ["\ufeff{}", "{}"],
  ["\ufeff", ""],
  ["\ufeff\ufeff1", "\ufeff1"],
])("removes one mark from the start of %j", (text, rest) => {
  const bytes = Buffer.from(text);
  expect(hasByteOrderMark(bytes)).toBe(true);
  const bare = withoutByteOrderMark(bytes);
  expect([Buffer.isBuffer(bare), bare.toString()]).toEqual([true, rest]);
  expect(bare.buffer).toBe(bytes.buffer);
});

it.each([[], [0xef], [0xef, 0xbb], [0xef, 0xbb, 0xbe], [0x20, 0xef, 0xbb, 0xbf]])(
  "leaves bytes without a mark unchanged: %j %j %j %j",
  (...numbers) => {
    const bytes = Uint8Array.from(numbers);
    expect(hasByteOrderMark(bytes)).toBe(false);
    expect(withoutByteOrderMark(bytes)).toBe(bytes);
  },
);
