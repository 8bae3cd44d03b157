import { readFrame } from "@touchstone/protocol";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createLogger } from "../../../util/src/log.ts";
import { SCRIPTED_SERVER } from "../testing/fixtures.ts";
import { modern } from "../testing/http.ts";
import { BACKLOG_BYTES, BACKLOG_MESSAGES } from "./ordered-release.ts";
import { ReaderBacklogs } from "./stdio/request-routes.ts";
import { SharedChild } from "./stdio/shared-child.ts";

function held(): { promise: Promise<void>; release: () => void } {
  let release = (): void => {};
  const promise = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { promise, release };
}

describe("the backlog of one source's readers", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  function source() {
    const states: string[] = [];
    const backlogs = new ReaderBacklogs(
      () => states.push("paused"),
      () => states.push("resumed"),
    );
    return { states, backlogs };
  }

  it("pauses the source at a number of messages or bytes, once for all readers", async () => {
    const { states, backlogs } = source();
    const [first, second] = [backlogs.reader(() => {}), backlogs.reader(() => {})];
    const [small, large] = [held(), held()];
    for (let i = 0; i < BACKLOG_MESSAGES; i += 1) first.add(1, small.promise);
    second.add(BACKLOG_BYTES, large.promise);
    expect(states).toEqual([]);
    first.add(1, small.promise);
    second.add(1, large.promise);
    expect(states).toEqual(["paused"]);
    small.release();
    await vi.runAllTicks();
    await small.promise;
    expect(states).toEqual(["paused"]);
    large.release();
    await large.promise;
    await Promise.resolve();
    expect(states).toEqual(["paused", "resumed"]);
  });

  it("drops a reader that has not read for too long", async () => {
    const { states, backlogs } = source();
    const stuck = held();
    const stalled = vi.fn(stuck.release);
    backlogs.reader(stalled).add(BACKLOG_BYTES + 1, stuck.promise);
    await vi.advanceTimersByTimeAsync(29_999);
    expect(stalled).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(stalled).toHaveBeenCalledOnce();
    expect(states).toEqual(["paused", "resumed"]);
  });

  it("no longer counts a message that could not be delivered", async () => {
    const { states, backlogs } = source();
    backlogs.reader(() => {}).add(BACKLOG_BYTES + 1, Promise.reject(new Error("closed")));
    await vi.advanceTimersByTimeAsync(0);
    expect(states).toEqual(["paused", "resumed"]);
  });
});

it("reads a child that floods one client only as fast as that client reads", async () => {
  const count = 20_000;
  const child = new SharedChild(
    "flood",
    {
      command: process.execPath,
      args: [SCRIPTED_SERVER, "--on", `tools/call=progress:${count}`],
      env: {},
      maxFrameBytes: 1 << 20,
      stderr: () => {},
    },
    createLogger(() => {}, "error"),
  );
  const reader = held();
  const { body } = modern("tools/call", { name: "work" }, { meta: { progressToken: "t" } });
  let received = 0;
  let atLimit = (): void => {};
  const full = new Promise<void>((resolve) => {
    atLimit = resolve;
  });
  const answered = new Promise<void>((resolve, reject) => {
    child.request(readFrame(Buffer.from(body)), {
      message: () => {
        received += 1;
        if (received > BACKLOG_MESSAGES) atLimit();
        return reader.promise;
      },
      answer: async () => resolve(),
      oversize: async () => reject(new Error("oversize")),
      lost: async (reason) => reject(new Error(reason)),
      refused: async (reason) => reject(new Error(reason)),
      stalled: () => reject(new Error("stalled")),
    });
  });
  await full;
  // As many turns as would do for all of it, were it read.
  for (let turn = 0; turn < 500; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  expect(received).toBeLessThan(count / 2);
  reader.release();
  await answered;
  expect(received).toBe(count);
  await child.close();
});
