import { describe, expect, it } from "vitest";
import { BufferedLinkEvents } from "./link.ts";

describe("BufferedLinkEvents", () => {
  it("delivers events from before the first listener, then later ones", () => {
    const told: unknown[] = [];
    const late = new BufferedLinkEvents();
    late.frame(new Uint8Array([1]));
    late.oversize({ head: new Uint8Array(1), tail: new Uint8Array(1), size: 9 });
    late.unreadable("html", ["n1"]);
    const events = {
      frame: (bytes: Uint8Array) => told.push([...bytes]),
      oversize: ({ size }: { size: number }) => told.push(size),
      unreadable: (reason: string, answers: readonly string[]) => told.push(reason, answers),
    };
    late.attach(events);
    late.frame(new Uint8Array([2]));
    const all = [[1], 9, "html", ["n1"], [2]];
    expect(told).toEqual(all);
    late.attach(events);
    expect(told).toEqual(all);
  });
});
