import fc from "fast-check";
import { encodeTime, isValid } from "ulid";
import { describe, expect, it } from "vitest";
import { createIds, firstIdAt, idSkew, idTime, nextId } from "./ids.ts";

const moment = fc.integer({ min: 0, max: 2 ** 48 - 1_000 });

describe("createIds", () => {
  it("makes ULIDs that sort in the order in which they were made, whatever the clock does", () => {
    fc.assert(
      fc.property(
        fc.array(moment, { minLength: 1 }),
        fc.infiniteStream(fc.nat(255)),
        (times, bytes) => {
          const next = createIds(() => bytes.next().value ?? 0);
          const ids = times.map((time) => next(time));
          expect(ids.every((id) => isValid(id))).toBe(true);
          expect(new Set(ids).size).toBe(ids.length);
          expect([...ids].sort()).toEqual(ids);
          for (const [i, id] of ids.entries()) {
            expect(idTime(id)).toBeGreaterThanOrEqual(Math.max(...times.slice(0, i + 1)));
          }
        },
      ),
    );
  });

  it("has the moment and what is random in it, and other first digits within a millisecond", () => {
    let byte = 0;
    const next = createIds(() => byte++);
    const time = encodeTime(1_788_166_800_123, 10);
    expect(next(1_788_166_800_123)).toBe(`${time}0123456789ABCDEF`);
    expect(next(1_788_166_800_123)).toBe(`${time}0223456789ABCDEF`);
    expect(next(1_788_166_800_000)).toBe(`${time}0323456789ABCDEF`);
    expect(next(1_788_166_800_124)).toMatch(/0HJKMNPQRSTVWXYZ$/);
  });

  it("carries over, and goes on in the next millisecond where one has no more", () => {
    const bytes = [31, ...new Array<number>(14).fill(31), 30];
    const next = createIds(() => bytes.shift() ?? 0);
    const id = next(1_000);
    expect(id).toBe(`${encodeTime(1_000, 10)}FZZZZZZZZZZZZZZY`);
    expect(next(1_000)).toBe(`${encodeTime(1_000, 10)}G0ZZZZZZZZZZZZZY`);
    for (let left = 510; left > 0; left -= 1) next(1_000);
    expect(next(1_000)).toBe(`${encodeTime(1_000, 10)}ZZZZZZZZZZZZZZZY`);
    expect(next(1_000)).toBe(`${encodeTime(1_000, 10)}ZZZZZZZZZZZZZZZZ`);
    expect(next(1_000)).toBe(`${encodeTime(1_001, 10)}0000000000000000`);
    expect(next(1_000)).toBe(`${encodeTime(1_001, 10)}0100000000000000`);
  });
});

it("makes ids of this process after each other, no two alike", () => {
  const now = new Date();
  const ids = Array.from({ length: 10_000 }, () => nextId(now));
  expect(new Set(ids).size).toBe(ids.length);
  expect([...ids].sort()).toEqual(ids);
  expect(ids.every((id) => id >= firstIdAt(now.getTime()))).toBe(true);
});

describe("idSkew", () => {
  it("is how far an id lies after a time", () => {
    const time = "1970-01-01T00:00:03.000Z";
    expect(idSkew({ id: firstIdAt(5_000), time })).toBe(2_000);
    expect(idSkew({ id: firstIdAt(5_000), time: "soon" })).toBeNaN();
    expect(() => idSkew({ id: "none", time })).toThrow();
  });
});
