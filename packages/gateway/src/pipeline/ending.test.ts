import { describe, expect, it } from "vitest";
import { long } from "../../../core/src/testing/sample.ts";
import {
  all,
  call,
  deferred,
  Harness,
  modes,
  parse,
  structured,
  toolResult,
} from "./testing/harness.ts";
import { BAD_RESULT, gate, ready } from "./testing/ready.ts";

describe("cancellation", () => {
  const cancel = (id: number): object => ({
    jsonrpc: "2.0",
    method: "notifications/cancelled",
    params: { requestId: id },
  });

  it("writes the call's record, and drops a late response", async () => {
    const h = await ready(all("strict"));
    await h.client(call(1, "add", '{"a":1}'));
    const frame = h.read(cancel(1));
    expect((await h.client(frame)).onward).toBe(frame.bytes);
    expect(h.records("tool_call")).toMatchObject([
      { reason: "canceled by the client", status: "error" },
    ]);
    expect(h.pipeline.pending).toBe(0);
    expect(await h.server(BAD_RESULT)).toEqual({});
    expect(h.records("tool_call")).toHaveLength(1);
    expect(await h.pipeline.end("gone")).toEqual([]);
  });

  it("applies to a call whose record is still being written", async () => {
    const h = await ready();
    const held = gate(h);
    const called = h.client(call(1, "add", "{}"));
    const cancelled = h.client(cancel(1));
    held.open();
    await Promise.all([called, cancelled]);
    expect(h.records("tool_call")).toMatchObject([{ reason: "canceled by the client" }]);
    expect(h.pipeline.pending).toBe(0);
  });

  it("is forwarded after a call that waits for the tool list", async () => {
    const h = new Harness();
    const list = deferred<Uint8Array>();
    h.ask = () => list.promise;
    const order: string[] = [];
    const called = h.client(call(1, "add", '{"a":1}')).then(() => order.push("call"));
    const cancelled = h.client(cancel(1)).then(() => order.push("cancel"));
    await new Promise(setImmediate);
    expect(h.pipeline.pending).toBe(1);
    list.resolve(Buffer.from('{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}'));
    await Promise.all([called, cancelled]);
    expect(order).toEqual(["call", "cancel"]);
    expect(h.records("tool_call")).toMatchObject([{ reason: "canceled by the client" }]);
  });

  it("remembers the last 1000 canceled calls", async () => {
    const h = await ready(modes({ output: "strict" }));
    for (let id = 1; id <= 1_001; id += 1) {
      await h.client(call(id, "add", '{"a":1}'));
      await h.client(cancel(id));
    }
    const forgotten = h.read(BAD_RESULT);
    expect((await h.server(forgotten)).onward).toBe(forgotten.bytes);
    expect(await h.server(toolResult(2))).toEqual({});
    expect(await h.server(structured(1_001, "1"))).toEqual({});
  });
});

describe("the end of a conversation", () => {
  it("answers and records every pending request once", async () => {
    const h = await ready();
    for (const id of [1, "1", 2]) await h.client(call(id, "add", '{"a":1}'));
    await h.client({ jsonrpc: "2.0", id: 3, method: "ping" });
    await h.server(structured(2, '{"sum":1}'));
    const answers = (await h.pipeline.end("the server exited")).map(parse);
    expect(answers.map(({ id }) => id)).toEqual([1, "1", 3]);
    expect(answers[0]).toMatchObject({ error: { message: "touchstone: the server exited" } });
    expect(h.records("tool_call").map(({ status }) => status)).toEqual([
      "success",
      "error",
      "error",
    ]);
    expect(await h.pipeline.end("again")).toEqual([]);
    expect(h.records("tool_call")).toHaveLength(3);
  });

  it("answers a call that waits for the tool list, and a later one", async () => {
    const h = new Harness();
    const list = deferred<Uint8Array>();
    h.ask = () => list.promise;
    const held = h.client(call(1, "add", '{"a":1}'));
    const ended = h.pipeline.end("gone");
    list.reject(new Error("gone"));
    const error = { code: -32603, message: "touchstone: gone" };
    expect((await held).back?.map(parse)).toMatchObject([{ id: 1, error }]);
    expect(await ended).toEqual([]);
    expect(await h.pipeline.end("gone again")).toEqual([]);
    const late = await h.client({ jsonrpc: "2.0", id: 2, method: "ping" });
    expect(late.back?.map(parse)).toMatchObject([{ id: 2, error }]);
    expect(h.records("tool_call")).toMatchObject([{ status: "error" }]);
    expect(h.pipeline.pending).toBe(0);
  });

  it("of a single request answers only that one", async () => {
    const h = await ready();
    await h.client(call(1, "add", '{"a":1}'));
    await h.client(call(2, "add", '{"a":1}'));
    expect(parse(await h.pipeline.fail("n2", "lost"))).toMatchObject({ id: 2, error: {} });
    expect(await h.pipeline.fail("n2", "lost")).toBeUndefined();
    expect(h.pipeline.pending).toBe(1);
    expect(h.records("tool_call")).toMatchObject([{ status: "error", reason: "lost" }]);
  });

  it("during the write of a record gives one response", async () => {
    const h = await ready();
    const held = gate(h);
    const called = h.client(call(1, "add", "{}"));
    await held.reached;
    const ended = h.pipeline.end("gone");
    held.open();
    expect((await called).back).toBeUndefined();
    expect((await ended).map(parse)).toMatchObject([{ id: 1 }]);
    expect(h.records("tool_call")).toHaveLength(1);
  });
});

describe("more than 10,000 pending requests", () => {
  it("are rejected, with an error and a record", async () => {
    const h = await ready();
    for (let id = 0; id < 10_000; id += 1)
      await h.client(`{"jsonrpc":"2.0","id":${id},"method":"ping"}`);
    const { onward, back } = await h.client(call(10_000, "add", '{"a":1}'));
    expect(onward).toBeUndefined();
    const error = { code: -32603, message: expect.stringMatching(/^too many requests/) };
    expect(back?.map(parse)).toMatchObject([{ id: 10_000, error }]);
    const ping = await h.client({ jsonrpc: "2.0", id: 10_001, method: "ping" });
    expect(ping.back?.map(parse)).toMatchObject([{ id: 10_001, error }]);
    expect(h.records("tool_call")).toMatchObject([{ status: "rejected" }]);
  });

  it("are rejected even while all wait for the tool list", long, async () => {
    const h = new Harness();
    const list = deferred<Uint8Array>();
    h.ask = () => list.promise;
    const held = Array.from({ length: 10_000 }, (_, id) => h.client(call(id, "add", '{"a":1}')));
    const refused = await Promise.all([
      h.client(call(10_000, "add", '{"a":1}')),
      h.client({ jsonrpc: "2.0", id: 10_001, method: "ping" }),
    ]);
    expect(refused.flatMap(({ back }) => back ?? []).map(parse)).toMatchObject([
      { id: 10_000, error: {} },
      { id: 10_001, error: {} },
    ]);
    const unnumbered = '{"jsonrpc":"2.0","method":"tools/call","params":{"name":"add"}}';
    expect(await h.client(unnumbered)).toEqual({});
    list.resolve(Buffer.from('{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}'));
    expect((await Promise.all(held)).every(({ onward }) => onward !== undefined)).toBe(true);
    expect(h.pipeline.pending).toBe(10_000);
    expect(h.records("tool_call").map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  });
});
