import type { Call, Session } from "@touchstone/gateway/api";
import { describe, expect, it } from "vitest";
import { agentFilters, sessionName, sessionTurns, timelineHash } from "./session.ts";

const call = (time: string, tool: string, status: string) =>
  ({ id: time, time: `2026-11-27T${time}Z`, server: "s", tool, status }) as Call;

describe("a conversation", () => {
  it("has its turns in order, with pauses and retries", () => {
    const turns = sessionTurns([
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
    expect(sessionTurns([])).toEqual([]);
  });

  it.each([
    ["sha256:0123456789abcdef", "0123456789ab"],
    ["process:01K9", "01K9"],
  ])("with %s is named %s", (session, name) => {
    expect(sessionName(session)).toBe(name);
  });
});

it("of nobody has the calls without a name", () => {
  expect(agentFilters({ caller: null, client: "c/1" })).toMatchObject({
    ...{ caller: undefined, client: "c/1", without: "caller" },
  });
  expect(agentFilters({ caller: null, client: null })).toMatchObject({ without: "both" });
  const session = {
    ...{ caller: "alice", client: "c/1" },
    ...{ first: "2026-11-27T10:00:00.000Z", last: "2026-11-27T10:00:01.000Z" },
  } as Session;
  // The end is exclusive.
  expect(decodeURIComponent(timelineHash(session))).toBe(
    "#/sessions/timeline?client=c/1&caller=alice&since=2026-11-27T10:00:00.000Z&until=2026-11-27T10:00:01.001Z",
  );
});
