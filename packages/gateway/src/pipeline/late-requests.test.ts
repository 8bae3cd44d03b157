import { expect, it } from "vitest";
import { LateRequests, type PendingRequest } from "./in-flight.ts";

const request = (more: Partial<PendingRequest> = {}): PendingRequest => ({
  id: "1",
  method: "ping",
  revision: undefined,
  ...more,
});

it("returns the newest of several requests with one id, then the earlier ones", () => {
  const late = new LateRequests(10);
  const [first, second] = [request(), request()];
  late.add("n1", first);
  late.add("n1", second);
  expect(late.get("n1")).toBe(second);
  expect(late.take("n1")).toBe(second);
  expect(late.take("n1")).toBe(first);
  expect(late.take("n1")).toBeUndefined();
});

it("drops the oldest over its bound, even if one id has all", () => {
  const late = new LateRequests(2);
  const kept = request({ loosely: true });
  for (let n = 0; n < 5; n += 1) late.add("n1", request({ loosely: true }));
  late.add("n2", kept);
  expect(late.awaited).toHaveLength(2);
  expect(late.take("n2")).toBe(kept);
  late.add("n3", request());
  late.add("n4", request());
  expect(late.get("n1")).toBeUndefined();
});

it("drops a reused id last", () => {
  const late = new LateRequests(3);
  const newest = request();
  for (const key of ["n1", "n2", "n3"]) late.add(key, request());
  late.add("n1", newest);
  late.add("n4", request());
  expect(late.get("n1")).toBe(newest);
  expect(late.get("n2")).toBeUndefined();
});

it("lists requests that were answered under other ids, until they get their own response", () => {
  const late = new LateRequests(10);
  const [first, second] = [request({ loosely: true }), request({ loosely: true })];
  late.add("n1", first);
  late.add("n1", second);
  late.add("n2", request());
  late.replace("n1", first, { ...first, settled: true });
  late.replace("n1", request(), request({ loosely: true }));
  expect(late.awaited).toEqual([second]);
  expect(late.remove("n1", first)).toBe(false);
  expect(late.remove("n1", second)).toBe(true);
  expect(late.awaited).toEqual([]);
});
