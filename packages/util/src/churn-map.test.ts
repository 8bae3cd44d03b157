import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ChurnMap } from "./churn-map.ts";

const key = fc.constantFrom("a", "b", "c", "d");
const step = fc.oneof(
  fc.record({ kind: fc.constant("set" as const), key, value: fc.option(fc.nat()) }),
  fc.record({ kind: fc.constant("delete" as const), key }),
  fc.record({ kind: fc.constant("clear" as const) }),
);

describe("ChurnMap", () => {
  it("behaves like a Map", () => {
    const property = fc.property(fc.array(step), (steps) => {
      const map = new Map<string, number | null>();
      const slots = new ChurnMap<string, number | null>();
      for (const step of steps) {
        if (step.kind === "set") {
          map.set(step.key, step.value);
          slots.set(step.key, step.value);
        } else if (step.kind === "delete") {
          expect(slots.delete(step.key)).toBe(map.delete(step.key));
        } else {
          map.clear();
          slots.clear();
        }
        expect(slots.size).toBe(map.size);
        expect([...slots]).toEqual([...map]);
        expect([...slots.keys()]).toEqual([...map.keys()]);
        expect([...slots.values()]).toEqual([...map.values()]);
        for (const key of ["a", "b", "c", "d"]) {
          expect(slots.has(key)).toBe(map.has(key));
          expect(slots.get(key)).toBe(map.get(key));
        }
      }
    });
    fc.assert(property);
  });

  it("allows deletion during iteration", () => {
    const slots = new ChurnMap<number, string>();
    for (const key of [1, 2, 3]) slots.set(key, `value ${key}`);
    const told: string[] = [];
    for (const [key, value] of slots) {
      slots.delete(key);
      slots.delete(2);
      told.push(value);
    }
    expect(told).toEqual(["value 1", "value 3"]);
  });

  it("reuses the slot of a removed entry", () => {
    const slots = new ChurnMap<number, object>();
    for (let key = 0; key < 10_000; key++) {
      slots.set(key, { key });
      if (key >= 16) slots.delete(key - 16);
    }
    expect([...slots.values()]).toEqual(Array.from({ length: 16 }, (_, i) => ({ key: 9984 + i })));
  });
});
