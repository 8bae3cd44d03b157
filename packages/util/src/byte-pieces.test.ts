import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BytePieces } from "./byte-pieces.ts";

describe("pieces", () => {
  it("hold the same bytes in any sizes, even if some are taken early", () => {
    const sizes = fc.array(fc.oneof(fc.nat(3), fc.nat(3_000)), { maxLength: 300 });
    fc.assert(
      fc.property(sizes, fc.array(fc.nat(300), { maxLength: 10 }), (lengths, shifts) => {
        const pieces = new BytePieces();
        const all = lengths.map((length, i) => Buffer.alloc(length, i));
        const got: Uint8Array[] = [];
        for (const [i, piece] of all.entries()) {
          if (shifts.includes(i)) got.push(pieces.shift() ?? new Uint8Array(0));
          pieces.push(piece);
        }
        const left = all.reduce((sum, { length }) => sum + length, 0) - Buffer.concat(got).length;
        expect(pieces.size).toBe(left);
        got.push(pieces.take());
        expect(Buffer.concat(got).equals(Buffer.concat(all))).toBe(true);
        expect([pieces.size, pieces.parts]).toEqual([0, []]);
      }),
    );
  });

  it("store single bytes in few parts", () => {
    const pieces = new BytePieces();
    const byte = Buffer.from("x");
    for (let n = 0; n < 200_000; n += 1) pieces.push(byte);
    expect(pieces.size).toBe(200_000);
    expect(pieces.parts.length).toBeLessThan(64 + 200_000 / 1_024);
  });

  it("join large pieces as they come", () => {
    const pieces = new BytePieces();
    const all = Array.from({ length: 300 }, (_, n) => Buffer.alloc(65_536, n));
    for (const piece of all) pieces.push(piece);
    expect(pieces.parts).toHaveLength(1);
    const whole = Buffer.concat(all);
    expect(whole.equals(pieces.shift() ?? Buffer.alloc(0))).toBe(true);
    expect([pieces.size, pieces.parts]).toEqual([0, []]);
    for (const piece of all.slice(0, 40)) pieces.push(piece);
    const taken = pieces.take();
    expect(whole.subarray(0, 40 * 65_536).equals(taken)).toBe(true);
    // Later pieces go into another buffer, so these bytes stay as they are.
    for (const piece of all.slice(40, 80)) pieces.push(piece);
    expect(whole.subarray(0, 40 * 65_536).equals(taken)).toBe(true);
    expect(whole.subarray(40 * 65_536, 80 * 65_536).equals(pieces.take())).toBe(true);
  });

  it("keep very large pieces unchanged", () => {
    const pieces = new BytePieces();
    const large = Buffer.alloc(2_000);
    for (let n = 0; n < 100; n += 1) pieces.push(large);
    expect(pieces.parts.every((part) => part === large)).toBe(true);
  });
});
