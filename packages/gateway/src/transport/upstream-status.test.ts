import { describe, expect, it } from "vitest";
import { UpstreamStatus } from "./upstream-status.ts";

const END = { reason: "exited with code 1", exitCode: 1 };

describe("the state of a stdio server", () => {
  it.each<[string, (status: UpstreamStatus) => void, object]>([
    ["nobody has used", () => {}, { state: "idle", children: 0 }],
    ["is started", (status) => void status.childStarted(), { state: "starting", children: 1 }],
    ["has spoken", (status) => status.childStarted().spoke(), { state: "running", children: 1 }],
    [
      "crashed",
      (status) => status.childStarted().ended(END, false),
      { state: "failed", error: "the server exited with code 1", children: 0 },
    ],
    [
      "could not be started",
      (status) =>
        status.childStarted().ended({ reason: "cannot start", failedToStart: true }, true),
      { state: "failed", error: "cannot start", children: 0 },
    ],
    [
      "left by itself",
      (status) => status.childStarted().ended({ reason: "", exitCode: 0 }, false),
      { state: "stopped", children: 0 },
    ],
    [
      "left with an error when it was asked to",
      (status) => status.childStarted().ended(END, true),
      { state: "stopped", children: 0 },
    ],
    [
      "has one of two processes left",
      (status) => {
        const first = status.childStarted();
        const second = status.childStarted();
        first.spoke();
        second.spoke();
        second.spoke();
        first.ended(END, false);
      },
      { state: "running", children: 1 },
    ],
  ])("is right if it %s", (_, happen, expected) => {
    const status = new UpstreamStatus();
    happen(status);
    expect(status.health).toMatchObject(expected);
    expect("error" in status.health).toBe("error" in expected);
  });

  it("is reported as failed once, until it has worked again", () => {
    const told: string[] = [];
    const status = new UpstreamStatus((reason) => told.push(reason));
    status.childStarted().ended(END, false);
    status.childStarted().ended({ ...END, reason: "exited with code 2" }, false);
    status.unreachable("gone");
    expect(told).toEqual(["the server exited with code 1"]);
    const child = status.childStarted();
    child.spoke();
    child.ended(END, false);
    expect(told).toHaveLength(2);
  });

  it("keeps its start time", () => {
    let time = 0;
    const status = new UpstreamStatus(
      () => {},
      () => new Date(time),
    );
    expect(status.health.since).toBeUndefined();
    status.answered(200);
    time = 5;
    status.answered(404);
    expect(status.health).toEqual({ state: "running", since: new Date(0), children: 0 });
    status.answered(502);
    expect(status.health).toMatchObject({
      state: "failed",
      error: expect.stringContaining("502"),
      since: new Date(5),
    });
    status.unreachable("gone");
    expect(status.health.error).toBe("gone");
  });
});
