import { describe, expect, it } from "vitest";
import { all, deferred, Harness, parse } from "./testing/harness.ts";

const TOOL = { name: "work", inputSchema: { type: "object" } };
const call = (id: number) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name: "work" },
});
const answer = (id: number) => ({ jsonrpc: "2.0", id, result: { content: [] } });
const cancel = (requestId: number) => ({
  jsonrpc: "2.0",
  method: "notifications/cancelled",
  params: { requestId },
});

/** Two conversations with one server that takes this many calls at a time. */
async function conversations(limit: number) {
  const slots = { limit, taken: 0 };
  const [a, b] = [new Harness({ slots }), new Harness({ slots })];
  for (const h of [a, b]) await h.list([TOOL]);
  return { a, b, slots };
}

describe("limits.concurrent_calls", () => {
  it("rejects a call over the limit from any client, with an error and a record", async () => {
    const { a, b } = await conversations(2);
    expect((await a.client(call(1))).onward).toBeDefined();
    expect((await b.client(call(1))).onward).toBeDefined();
    const { onward, back = [] } = await a.client(call(2));
    expect(onward).toBeUndefined();
    const message = expect.stringMatching(/limit of 2 tool calls .*\(limits.concurrent_calls\)/);
    expect(back.map(parse)).toMatchObject([{ id: 2, error: { code: -32603, message } }]);
    expect(a.records("tool_call")).toMatchObject([{ status: "limited", reason: message }]);
    await b.server(answer(1));
    expect((await a.client(call(3))).onward).toBeDefined();
  });

  it("never limits messages other than calls", async () => {
    const { a } = await conversations(1);
    await a.client(call(1));
    const ping = { jsonrpc: "2.0", id: 2, method: "ping" };
    expect((await a.client(ping)).onward).toBeDefined();
  });

  it.each<[string, (h: Harness) => Promise<unknown>]>([
    ["is answered", (h) => h.server(answer(1))],
    [
      "is answered with an error",
      (h) => h.server({ jsonrpc: "2.0", id: 1, error: { code: 1, message: "m" } }),
    ],
    ["is canceled", (h) => h.client(cancel(1))],
    ["is given up by the transport", async (h) => h.pipeline.fail("n1", "gone")],
    ["ends with its conversation", (h) => h.pipeline.end("gone")],
  ])("counts a call until it %s", async (_, end) => {
    const { a, slots } = await conversations(1);
    await a.client(call(1));
    expect(slots.taken).toBe(1);
    await end(a);
    expect(slots.taken).toBe(0);
  });

  it("does not count a call that was blocked or could not be recorded", async () => {
    const slots = { limit: 1, taken: 0 };
    const h = new Harness({ slots, settings: all("strict") });
    await h.list([TOOL]);
    const wrong = { ...call(1), params: { name: "work", arguments: 5 } };
    expect((await h.client(wrong)).onward).toBeUndefined();
    const lost = new Harness({ slots, settings: all("warn") });
    await lost.list([TOOL]);
    const held = deferred<void>();
    lost.activity.gate = () => held.promise;
    const recording = lost.activity.nextAppend();
    const passage = lost.client(wrong);
    await recording;
    expect(slots.taken).toBe(1);
    held.reject(new Error("disk full"));
    expect((await passage).onward).toBeUndefined();
    expect(slots.taken).toBe(0);
  });
});
