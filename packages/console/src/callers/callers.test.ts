import type { ShownCaller } from "@touchstone/gateway/api";
import { expect, it } from "vitest";
import { limitsText, percentText } from "./callers.ts";

const known = new Map<string, ShownCaller>([
  ["alice", { name: "alice", keys: 1, role: "caller", callsPerMinute: 60, resultBytes: 1_000 }],
  ["bob", { name: "bob", keys: 1, role: "caller" }],
]);

it.each([
  ["alice", 12, "12 of 60 calls per minute; results of up to 1000 bytes"],
  ["bob", 3, "3 in the last minute, no limit of calls"],
  ["token", 3, "3 in the last minute"],
  [null, null, "no limits for a caller"],
])("what is known of the limits of %j", (caller, calls_last_minute, text) => {
  expect(limitsText({ caller, calls_last_minute }, known)).toBe(text);
});

it.each([
  [0, 0, "0%"],
  [1, 3, "33%"],
  [1, 1_000, "<1%"],
  [5, 5, "100%"],
])("shows %i of %i as %s", (part, whole, text) => {
  expect(percentText(part, whole)).toBe(text);
});
