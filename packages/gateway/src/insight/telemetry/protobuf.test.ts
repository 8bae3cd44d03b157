import fc from "fast-check";
import { expect, it } from "vitest";
import { ProtobufWriter } from "./protobuf.ts";

/** A message in field 1 as it stands: its length by the varint in front of it, and its bytes. */
function read(bytes: Buffer): { length: number; inside: Buffer } {
  expect(bytes[0]).toBe((1 << 3) | 2);
  let length = 0;
  let at = 1;
  for (let factor = 1; ; factor *= 0x80) {
    const byte = bytes[at] ?? 0;
    at += 1;
    length += (byte & 0x7f) * factor;
    if (byte < 0x80) return { length, inside: bytes.subarray(at) };
  }
}

it("puts the length of a message in front of it, however many bytes that takes", () => {
  const sizes = [0, 0x7f, 0x80, 0x3fff, 0x4000, 0x1f_ffff, 0x20_0000];
  const size = fc.oneof(
    fc
      .constantFrom(...sizes)
      .chain((near) => fc.integer({ min: Math.max(0, near - 8), max: near })),
    fc.nat(100_000),
  );
  const writer = new ProtobufWriter();
  fc.assert(
    fc.property(size, (length) => {
      const fields = Buffer.alloc(length, "x");
      const start = writer.begin(1);
      writer.fields(fields);
      writer.end(start);
      const told = read(writer.take());
      expect(told.length).toBe(length);
      expect(told.inside.equals(fields)).toBe(true);
    }),
    { examples: sizes.map((length) => [length]) },
  );
});
