import { idKey } from "@touchstone/protocol/advanced";
import { describe, expect, it } from "vitest";
import { BoundedMap } from "../../../util/src/bounded-map.ts";
import { Inflight, lookalikeIds, type PendingRequest } from "./in-flight.ts";

const request = (id: string): PendingRequest => ({ id, method: "ping", revision: undefined });

describe("Inflight", () => {
  it("returns requests with the same id in order", () => {
    const inflight = new Inflight();
    const [a, b, c] = [request("1"), request("1"), request("2")];
    for (const [key, entry] of [
      ["n1", a],
      ["n1", b],
      ["n2", c],
    ] as const)
      inflight.add(key, entry);
    expect([inflight.size, inflight.get("n1"), inflight.takeOnly()]).toEqual([3, a, undefined]);
    expect(inflight.take("n1")).toBe(a);
    expect(inflight.take("n1")).toBe(b);
    expect([inflight.take("n1"), inflight.has("n1"), inflight.size]).toEqual([undefined, false, 1]);
    expect(inflight.takeOnly()).toBe(c);
    expect(inflight.takeOnly()).toBeUndefined();
    expect(inflight.size).toBe(0);
  });

  it("removes exactly the given request", () => {
    const inflight = new Inflight();
    const [a, b] = [request("1"), request("1")];
    inflight.add("n1", a);
    inflight.add("n1", b);
    expect(inflight.remove("n1", b)).toBe(true);
    expect(inflight.remove("n1", b)).toBe(false);
    expect(inflight.remove("n2", a)).toBe(false);
    expect(inflight.takeAll()).toEqual([a]);
    expect([inflight.size, inflight.takeAll()]).toEqual([0, []]);
  });
});

describe("ids that look alike", () => {
  // The official SDKs for TypeScript look up `Number(response.id)`.
  it.each([
    ["s1", ["n1"]],
    ["n1", ["s1"]],
    ["s01", ["n1", "s1"]],
    ["s 1\n", ["n1"]],
    ["s0x1", ["n1"]],
    ["s1.0", ["n1"]],
    ["s+1e0", ["n1"]],
    ["s", ["n0"]],
    ["s-0", ["n0"]],
    [idKey("1.00000000000000000001"), ["n1", "s1"]],
    [idKey("9007199254740993"), [idKey("9007199254740992"), "s9007199254740993"]],
    [idKey('"1e21"'), [idKey("1e21")]],
  ])("for %j include %j", (key, wanted) => {
    expect(lookalikeIds(key)).toEqual(expect.arrayContaining(wanted));
    expect(lookalikeIds(key)).not.toContain(key);
  });

  it.each(["sa", "s1a", "sNaN", "s1e400", "xnull", "xtrue", "x[1]"])("for %j are none", (key) => {
    expect(lookalikeIds(key)).toEqual([]);
  });
});

describe("BoundedMap", () => {
  it("drops its oldest entry, and returns it", () => {
    const map = new BoundedMap<string, number>(2);
    expect([map.set("a", 1), map.set("b", 2), map.set("a", 3)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(map.set("c", 4)).toBe(2);
    expect([map.has("b"), map.get("a"), map.size]).toEqual([false, 3, 2]);
    expect([map.take("a"), map.take("a"), map.size]).toEqual([3, undefined, 1]);
  });
});
