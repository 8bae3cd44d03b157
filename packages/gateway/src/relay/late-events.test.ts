import { describe, expect, it } from "vitest";
import { LateEvents } from "./late-events.ts";

describe("LateEvents", () => {
  it("hands over what came before somebody listened, then what comes", () => {
    const told: unknown[] = [];
    const late = new LateEvents();
    late.frame(new Uint8Array([1]));
    late.oversize({ head: new Uint8Array(1), tail: new Uint8Array(1), size: 9 });
    late.attach({
      frame: (bytes) => told.push([...bytes]),
      oversize: ({ size }) => told.push(size),
    });
    late.frame(new Uint8Array([2]));
    expect(told).toEqual([[1], 9, [2]]);
  });
});
