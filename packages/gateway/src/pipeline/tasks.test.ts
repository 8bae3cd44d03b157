import { describe, expect, it } from "vitest";
import {
  all,
  call,
  LEGACY,
  MODERN,
  modernMeta,
  parse,
  result,
  structured,
  taskMembers,
  toolResult,
} from "./testing/harness.ts";
import { ready } from "./testing/ready.ts";

const STRICT = all("strict", { missingStructuredContent: "block" });

describe("a task", () => {
  it("up to 2025-11-25 is announced only where the call asked for it", async () => {
    const announcement = `{"task":{${taskMembers("t1")}}}`;
    const h = await ready(STRICT, LEGACY);
    await h.client(call(1, "add", '{"a":1}', ',"task":{"ttl":1}'));
    const frame = h.read(result(1, announcement));
    expect((await h.server(frame)).onward).toBe(frame.bytes);
    expect(h.records("tool_call")).toMatchObject([{ status: "success", reason: "runs as a task" }]);

    await h.client(call(2, "add", '{"a":1}'));
    const { onward } = await h.server(result(2, announcement));
    expect(parse(onward)["result"]).toMatchObject({ isError: true });
  });

  it("from 2026-07-28 on is announced by resultType alone", async () => {
    const h = await ready(STRICT, MODERN);
    await h.client(call(1, "add", '{"a":1}', "", MODERN));
    const frame = h.read(result(1, '{"resultType":"task","taskId":"t1","status":"working"}'));
    expect((await h.server(frame)).onward).toBe(frame.bytes);
    await h.client(call(2, "add", '{"a":1}', ',"task":{}', MODERN));
    const { onward } = await h.server(toolResult(2, ',"task":{"taskId":"t"}', MODERN));
    expect(parse(onward)["result"]).toMatchObject({ isError: true });
  });

  it.each([
    [LEGACY, `{"task":{${taskMembers("t1")}},"structuredContent":{"sum":"no"}}`],
    [MODERN, '{"resultType":"task","taskId":"t1","structuredContent":{"sum":"no"}}'],
  ])("is no way around the check: %s", async (revision, text) => {
    const h = await ready(STRICT, revision);
    await h.client(call(1, "add", '{"a":1}', ',"task":{}', revision));
    expect(parse((await h.server(result(1, text))).onward)["result"]).toMatchObject({
      isError: true,
    });
  });

  it("has its result judged by the contract of its call", async () => {
    const h = await ready(STRICT, LEGACY);
    await h.client(call(1, "add", '{"a":1}', ',"task":{}'));
    await h.server(result(1, `{"task":{${taskMembers("t1")}}}`));
    // The list has changed since: the call keeps what it began with.
    await h.list([{ name: "add", inputSchema: { type: "object" } }]);
    const ask = (id: number): object => ({
      jsonrpc: "2.0",
      id,
      method: "tasks/result",
      params: { taskId: "t1" },
    });
    await h.client(ask(2));
    const good = h.read(structured(2, '{"sum":1.0}'));
    expect((await h.server(good)).onward).toBe(good.bytes);
    await h.client(ask(3));
    const bad = await h.server(structured(3, '{"sum":"x"}'));
    expect(parse(bad.onward)).toMatchObject({ id: 3, result: { isError: true } });
    const [record, ...more] = h.records("tool_call");
    expect(more).toEqual([]);
    expect(h.records("policy_decision")).toMatchObject([
      { request_id: record?.request_id, tool: "add" },
    ]);
  });

  it("that is finished carries its result, which alone is replaced", async () => {
    const h = await ready(STRICT, MODERN);
    await h.client(call(1, "add", '{"a":1}', "", MODERN));
    await h.server(result(1, '{"resultType":"task","taskId":"t1"}'));
    const ask = (id: number): object => ({
      jsonrpc: "2.0",
      id,
      method: "tasks/get",
      params: { taskId: "t1", _meta: modernMeta() },
    });
    await h.client(ask(2));
    const working = h.read(result(2, '{"resultType":"complete","taskId":"t1","status":"working"}'));
    expect((await h.server(working)).onward).toBe(working.bytes);
    await h.client(ask(3));
    const done = (sum: string): string =>
      `{"resultType":"complete", "taskId":"t1","status":"completed","ttl":1.0,"result":{"structuredContent":{"sum":${sum}}}}`;
    const good = h.read(result(3, done("5")));
    expect((await h.server(good)).onward).toBe(good.bytes);
    await h.client(ask(4));
    const { onward } = await h.server(result(4, done('"x"')));
    expect(Buffer.from(onward ?? []).toString()).toContain(
      '"status":"completed","ttl":1.0,"result":{',
    );
    expect(parse(onward)).toMatchObject({
      id: 4,
      result: { taskId: "t1", result: { isError: true, resultType: "complete" } },
    });
    expect(h.records("tool_call")).toHaveLength(1);
  });

  it("that nobody announced is not judged", async () => {
    const h = await ready(STRICT, LEGACY);
    await h.client({ jsonrpc: "2.0", id: 2, method: "tasks/result", params: { taskId: "?" } });
    const frame = h.read(result(2, '{"structuredContent":{"sum":"x"}}'));
    expect((await h.server(frame)).onward).toBe(frame.bytes);
  });
});
