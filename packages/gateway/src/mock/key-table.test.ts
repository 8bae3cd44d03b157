import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, it } from "vitest";
import { KeyTable } from "./key-table.ts";

const keyOf = (name: string): Uint8Array => createHash("sha256").update(name).digest();

it("is a map", () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 5_000 }), { maxLength: 6_000, size: "max" }), (names) => {
      const table = new KeyTable();
      const map = new Map<string, number>();
      for (const [at, name] of names.entries()) {
        const text = String(name);
        expect(table.get(keyOf(text))).toBe(map.get(text));
        if (map.has(text)) continue;
        map.set(text, at);
        table.add(keyOf(text), at);
      }
      for (const [text, value] of map) expect(table.get(keyOf(text))).toBe(value);
    }),
    { numRuns: 10 },
  );
});

it("keeps keys apart that share a slot", () => {
  const table = new KeyTable();
  for (let i = 0; i < 3_000; i += 1) table.add(Uint8Array.of(0, 0, i >> 8, i & 255, 1, 2, 3, 4), i);
  for (let i = 0; i < 3_000; i += 1) {
    expect(table.get(Uint8Array.of(0, 0, i >> 8, i & 255, 1, 2, 3, 4))).toBe(i);
  }
  expect(table.get(Uint8Array.of(9, 0, 0, 0, 1, 2, 3, 4))).toBeUndefined();
});
