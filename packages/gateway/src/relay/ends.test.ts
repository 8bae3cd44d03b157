import fc from "fast-check";
import { expect, it } from "vitest";
import { ByteEndsBuffer } from "../transport/stdio/lines.ts";

it("keeps the first and the last bytes, in any pieces", () => {
  const parts = fc.array(fc.uint8Array({ maxLength: 20 }), { maxLength: 12 });
  fc.assert(
    fc.property(parts, fc.integer({ min: 1, max: 9 }), (pieces, length) => {
      const keeper = new ByteEndsBuffer(length);
      for (const piece of pieces) keeper.push(piece);
      const whole = pieces.flatMap((piece) => [...piece]);
      const { head, tail, size } = keeper.take();
      expect([...head]).toEqual(whole.slice(0, length));
      expect([...tail]).toEqual(whole.slice(-length));
      expect(size).toBe(whole.length);
    }),
  );
});

it("keeps no reference to the pieces", () => {
  const keeper = new ByteEndsBuffer(4);
  const piece = Buffer.from("0123456789");
  keeper.push(piece);
  const { head, tail } = keeper.take();
  expect([head.buffer.byteLength, tail.buffer.byteLength]).toEqual([4, 4]);
  piece.fill(0);
  expect([head, tail].map((end) => Buffer.from(end).toString())).toEqual(["0123", "6789"]);
});
