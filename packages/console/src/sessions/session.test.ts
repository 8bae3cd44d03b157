import type { Call } from "@touchstone/gateway/api";
import { describe, expect, it } from "vitest";
import { sessionName, turnsOf } from "./session.ts";

const call = (time: string, tool: string, status: string) =>
  ({ id: time, time: `2026-11-27T${time}Z`, server: "s", tool, status }) as Call;

describe("a conversation", () => {
  it("has its turns in order, with pauses and retries", () => {
    const turns = turnsOf([
      call("10:00:00", "a", "blocked"),
      call("10:00:01", "b", "success"),
      call("10:00:02", "a", "success"),
      call("10:05:02", "a", "success"),
    ]);
    expect(turns.map(({ since, pause, isRetry }) => [since, pause, isRetry])).toEqual([
      [0, null, false],
      [1_000, null, false],
      [2_000, null, true],
      [302_000, 300_000, false],
    ]);
    expect(turnsOf([])).toEqual([]);
  });

  it.each([
    ["sha256:0123456789abcdef", "0123456789ab"],
    ["process:01K9", "01K9"],
  ])("with %s is named %s", (session, name) => {
    expect(sessionName(session)).toBe(name);
  });
});
