import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { all, deferred, Harness, parse } from "./testing/harness.ts";

const TOOL = { name: "work", inputSchema: { type: "object" } };
const CALL = { jsonrpc: "2.0", id: 7, method: "tools/call", params: { name: "work" } };
const ANSWER = { jsonrpc: "2.0", id: 7, result: { content: [] } };

/** A pipeline that has listed its tools, and the requests that timed out. */
async function listed(callTimeoutMs = 5_000) {
  const h = new Harness({ callTimeoutMs, settings: all("warn") });
  await h.list([TOOL]);
  const timedOut: Record<string, unknown>[][] = [];
  const told = (...frames: Uint8Array[]): void => void timedOut.push(frames.map(parse));
  return { h, timedOut, call: (message: object = CALL) => h.client(message, told) };
}

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

describe("a call that times out", () => {
  it("gets an error, a record and a cancellation, and its late response is dropped", async () => {
    const { h, timedOut, call } = await listed();
    expect((await call()).onward).toBeDefined();
    await vi.advanceTimersByTimeAsync(4_999);
    expect(timedOut).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    const message = "touchstone: the server did not respond within 5 s (limits.call_timeout)";
    expect(timedOut).toEqual([
      [
        { jsonrpc: "2.0", id: 7, error: { code: -32603, message } },
        {
          jsonrpc: "2.0",
          method: "notifications/cancelled",
          params: { requestId: 7, reason: "no response in time" },
        },
      ],
    ]);
    expect(h.pipeline.pending).toBe(0);
    expect(await h.server(ANSWER)).toEqual({});
    expect(h.records("tool_call")).toMatchObject([
      { status: "error", tool: "work", reason: expect.stringMatching(/within 5 s/) },
    ]);
    expect(h.lines.join("")).toMatch(/srv\/work: the server did not respond within 5 s/);
  });

  it.each([
    ["of a look-alike id", { ...ANSWER, id: "7" }],
    ["that is an error", { jsonrpc: "2.0", id: 7, error: { code: 1, message: "late" } }],
    ["that broke off", '{"jsonrpc":"2.0","id":7,"result":{'],
  ])("drops a late response %s", async (_, late) => {
    const { h, call } = await listed();
    await call();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await h.server(late)).toEqual({});
    expect(h.records("tool_call")).toHaveLength(1);
  });

  it("is not sent to the server while its record is still being written", async () => {
    const { h, timedOut, call } = await listed();
    const held = deferred<void>();
    const invalid = { ...CALL, params: { name: "work", arguments: 5 } };
    let appends = 0;
    h.activity.gate = () => (appends++ === 0 ? held.promise : Promise.resolve());
    const passage = call(invalid);
    await vi.advanceTimersByTimeAsync(5_000);
    held.resolve();
    const { onward, back = [] } = await passage;
    expect(onward).toBeUndefined();
    expect(back.map(parse)).toMatchObject([{ id: 7, error: { code: -32603 } }]);
    expect(timedOut).toEqual([]);
  });

  it("gets an error that says so if its record cannot be written", async () => {
    const { h, timedOut, call } = await listed();
    await call();
    h.activity.gate = () => Promise.reject(new Error("disk full"));
    await vi.advanceTimersByTimeAsync(5_000);
    expect(timedOut).toMatchObject([
      [{ id: 7, error: { message: expect.stringMatching(/could not record/) } }, {}],
    ]);
  });
});

describe("a call that does not time out", () => {
  it.each([
    ["that was answered", ANSWER],
    ["whose answer breaks the protocol", { ...ANSWER, result: 5 }],
  ])("%s", async (_, answer) => {
    const { h, timedOut, call } = await listed();
    await call();
    await h.server(answer);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(timedOut).toEqual([]);
    expect(h.records("tool_call")).toHaveLength(1);
  });

  it("is one that was canceled, that ended with the conversation, or another request", async () => {
    const { h, timedOut, call } = await listed();
    await call();
    const params = { requestId: 7 };
    await call({ jsonrpc: "2.0", method: "notifications/cancelled", params });
    await call({ ...CALL, id: 8 });
    await h.pipeline.end("the server was removed");
    await vi.advanceTimersByTimeAsync(60_000);
    const other = await listed();
    await other.call({ jsonrpc: "2.0", id: 9, method: "ping" });
    await vi.advanceTimersByTimeAsync(60_000);
    expect([timedOut, other.timedOut]).toEqual([[], []]);
    expect(other.h.pipeline.pending).toBe(1);
  });
});
