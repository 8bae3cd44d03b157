import { encodeTime, isValid, ulid } from "ulid";
import { describe, expect, it } from "vitest";
import { advancePastId, firstIdAt, idSkew, idTime, nextId } from "./ids.ts";

describe("the ids of a process", () => {
  it("are ULIDs that sort in creation order, even if the clock goes back", () => {
    const start = Date.now();
    // The clock stops, continues, is set back by a day, and continues from there.
    const clock = [...Array<number>(10_000).fill(0), 1, 1, 2, 3, -86_400_000, -86_399_999, 4];
    const ids = clock.map((offset) => nextId(new Date(start + offset)));
    expect(ids.every((id) => isValid(id))).toBe(true);
    expect(new Set(ids).size).toBe(ids.length);
    expect([...ids].sort()).toEqual(ids);
    for (const [i, id] of ids.entries()) {
      expect(idTime(id)).toBeGreaterThanOrEqual(start + (clock[i] ?? 0));
      expect(id >= firstIdAt(start + (clock[i] ?? 0))).toBe(true);
    }
  });

  it("differ in their first twelve characters, which people type", () => {
    const now = new Date(Date.now() + 3_600_000);
    const ids = Array.from({ length: 2000 }, () => nextId(now).slice(0, 12));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("have random digits after the time, so that processes do not collide", () => {
    // Later than all other ids of this process, because the part of an id after its time begins with random digits.
    const later = idTime(nextId(new Date())) + 86_400_000;
    const ids = Array.from({ length: 1000 }, (_, n) => nextId(new Date(later + n)));
    expect(ids.map((id) => id.slice(0, 10))).toEqual(ids.map((_, n) => encodeTime(later + n, 10)));
    expect(new Set(ids.map((id) => id.slice(10))).size).toBe(ids.length);
    const digits = new Set(ids.flatMap((id) => [...id.slice(10)]));
    expect(digits.size).toBe(32);
  });

  it("sort after those of another process that were passed, also within their millisecond", () => {
    const later = idTime(nextId(new Date())) + 3_600_000;
    for (let n = 0; n < 200; n += 1) {
      // The random digits of another process can have any value.
      const other = n % 2 === 0 ? `${encodeTime(later + n, 10)}${"Z".repeat(16)}` : ulid(later + n);
      advancePastId(other);
      expect(nextId(new Date()) > other).toBe(true);
    }
    const last = nextId(new Date());
    advancePastId(firstIdAt(0));
    expect(nextId(new Date()) > last).toBe(true);
  });
});

describe("idTime", () => {
  it.each([0, 1, 31, 32, 1_788_000_000_123, 2 ** 48 - 1])("reads %i in both cases", (time) => {
    const id = firstIdAt(time);
    expect(idTime(id)).toBe(time);
    expect(idTime(id.toLowerCase())).toBe(time);
  });

  it.each(["", "0".repeat(25), "0".repeat(27), `U${"0".repeat(25)}`, `é${"0".repeat(25)}`])(
    "throws for %j",
    (id) => {
      expect(() => idTime(id)).toThrow(expect.objectContaining({ name: "ULIDError" }));
    },
  );

  it("throws for a time that no ULID has", () => {
    expect(() => idTime(`8${"0".repeat(25)}`)).toThrow(/too large/);
  });
});

describe("idSkew", () => {
  it("returns how far an id is ahead of a time", () => {
    const time = "1970-01-01T00:00:03.000Z";
    expect(idSkew({ id: firstIdAt(5_000), time })).toBe(2_000);
    expect(idSkew({ id: firstIdAt(5_000), time: "soon" })).toBeNaN();
    expect(() => idSkew({ id: "none", time })).toThrow();
  });
});
