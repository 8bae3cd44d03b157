import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { isSubject, namesSubject } from "./subject.ts";

describe("namesSubject", () => {
  it.each([
    ["request of Alice", "alice"],
    ["ALICE", "Alice"],
    ["alice@example.com asked", "alice"],
    ["for Jose\u0301", "Jos\u00e9"],
    ["for jose", "Jos\u00e9"],
    ["(100%_*) wants it", "100%_*"],
    [`${"long ".repeat(300)}alice`, "alice"],
    [`${"x".repeat(1020)} alice`, "alice"],
    ["a \u0301 b", "\u0301"],
  ])("finds the name in %j: %j", (text, caller) => {
    expect(namesSubject(text, { caller })).toBe(true);
  });

  it.each([
    ["request 17", "e"],
    ["request 17", "1"],
    ["auth.keys", "key"],
    ["malice", "alice"],
    ["alices", "alice"],
    ["", "alice"],
  ])("does not find in %j the name %j", (text, caller) => {
    expect(namesSubject(text, { caller })).toBe(false);
  });

  it("finds a session's id, and its hash", () => {
    const session = "0f6c-77";
    const hash = `sha256:${createHash("sha256").update(session).digest("hex")}`;
    expect(namesSubject(`session ${session}`, { session })).toBe(true);
    expect(namesSubject(`session ${hash}`, { session })).toBe(true);
    expect(namesSubject("session 0f6c-78", { session })).toBe(false);
  });
});

it.each([
  ["alice", { caller: "alice" }, true],
  ["Alice", { caller: "alice" }, false],
  ["alice", { session: "alice" }, false],
  [undefined, { caller: "alice" }, false],
  ["x".repeat(9_000), { caller: "x".repeat(9_000) }, true],
])("compares %j with %j: %j", (caller, subject, expected) => {
  expect(isSubject(caller, subject)).toBe(expected);
});
