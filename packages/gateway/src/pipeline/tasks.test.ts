import { describe, expect, it } from "vitest";
import {
  ADD,
  all,
  call,
  Harness,
  LEGACY,
  MODERN,
  modernMeta,
  modes,
  parse,
  result,
  taskMembers,
  toolResult,
} from "./testing/harness.ts";
import { ready } from "./testing/ready.ts";

const STRICT = all("strict", { missingStructuredContent: "block" });

describe("a task", () => {
  it("up to 2025-11-25 is announced only if the call asked for it", async () => {
    const announcement = `{"task":{${taskMembers("t1")}}}`;
    const h = await ready(STRICT, LEGACY);
    await h.client(call(1, "add", '{"a":1}', ',"task":{"ttl":1}'));
    const frame = h.read(result(1, announcement));
    expect((await h.server(frame)).onward).toBe(frame.bytes);
    expect(h.records("tool_call")).toMatchObject([{ status: "success", reason: "runs as a task" }]);

    await h.client(call(2, "add", '{"a":1}'));
    const { onward } = await h.server(result(2, announcement));
    expect(parse(onward)).toMatchObject({
      error: { data: { issues: [{ path: "/result/task" }] } },
    });
  });

  it("from 2026-07-28 on is announced only by resultType", async () => {
    const h = await ready(STRICT, MODERN);
    await h.client(call(1, "add", '{"a":1}', "", MODERN));
    const frame = h.read(result(1, '{"resultType":"task","taskId":"t1","status":"working"}'));
    expect((await h.server(frame)).onward).toBe(frame.bytes);
    await h.client(call(2, "add", '{"a":1}', ',"task":{}', MODERN));
    const { onward } = await h.server(toolResult(2, ',"task":{"taskId":"t"}', MODERN));
    expect(parse(onward)["result"]).toMatchObject({ isError: true });
  });

  describe("under the tasks extension, up to 2025-11-25", () => {
    const offer = (offered: boolean): string =>
      offered
        ? '{"extensions":{"io.modelcontextprotocol/tasks":{}}}'
        : '{"extensions":{"x/tasks":{}}}';
    const agreedOn = async (client: boolean, server: boolean) => {
      const h = await ready(STRICT);
      const rest = `"protocolVersion":"${LEGACY}","capabilities"`;
      const info = '{"name":"x","version":"1"}';
      await h.client(
        `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{${rest}:${offer(client)},"clientInfo":${info}}}`,
      );
      await h.server(result(0, `{${rest}:${offer(server)},"serverInfo":${info}}`));
      await h.client(call(1, "add", '{"a":1}'));
      const answer = h.read(result(1, '{"resultType":"task","taskId":"t1","status":"working"}'));
      return { h, answer, onward: (await h.server(answer)).onward };
    };

    it("is forwarded if both sides announced the extension, and its result is checked", async () => {
      const { h, answer, onward } = await agreedOn(true, true);
      expect(onward).toBe(answer.bytes);
      expect(h.records("tool_call")).toMatchObject([{ reason: "runs as a task" }]);
      const get = { jsonrpc: "2.0", id: 2, method: "tasks/get", params: { taskId: "t1" } };
      await h.client(get);
      const done = (sum: string): string =>
        `{"resultType":"complete","taskId":"t1","status":"completed","ttlMs":1,"result":{"content":[],"structuredContent":{"sum":${sum}}}}`;
      const good = h.read(result(2, done("5")));
      expect((await h.server(good)).onward).toBe(good.bytes);
      await h.client({ ...get, id: 3 });
      const bad = await h.server(result(3, done('"x"')));
      expect(parse(bad.onward)["result"]).toMatchObject({
        taskId: "t1",
        result: { isError: true },
      });
      const cancel = h.read(
        `{"jsonrpc":"2.0","id":4,"method":"tasks/cancel","params":{"taskId":"t1"}}`,
      );
      expect((await h.client(cancel)).onward).toBe(cancel.bytes);
      const done4 = h.read(result(4, '{"resultType":"complete"}'));
      expect((await h.server(done4)).onward).toBe(done4.bytes);
    });

    it.each([
      [true, false],
      [false, true],
      [false, false],
    ])("is not accepted unless both announced it: client %s, server %s", async (client, server) => {
      const { onward } = await agreedOn(client, server);
      expect(parse(onward)).toMatchObject({ id: 1, error: { code: -32603 } });
    });
  });

  it.each([
    [LEGACY, `{"task":{${taskMembers("t1")}},"structuredContent":{"sum":"no"}}`],
    [MODERN, '{"resultType":"task","taskId":"t1","structuredContent":{"sum":"no"}}'],
  ])("cannot bypass the check: %s", async (revision, text) => {
    const h = await ready(STRICT, revision);
    await h.client(call(1, "add", '{"a":1}', ',"task":{}', revision));
    expect(parse((await h.server(result(1, text))).onward)["result"]).toMatchObject({
      isError: true,
    });
  });

  it("has its result checked by the contract of its call", async () => {
    const h = await ready(STRICT, LEGACY);
    await h.client(call(1, "add", '{"a":1}', ',"task":{}'));
    await h.server(result(1, `{"task":{${taskMembers("t1")}}}`));
    // The list has changed since then: the call keeps its original contract.
    await h.list([{ name: "add", inputSchema: { type: "object" } }]);
    const ask = (id: number): object => ({
      jsonrpc: "2.0",
      id,
      method: "tasks/result",
      params: { taskId: "t1" },
    });
    await h.client(ask(2));
    const related = `"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"t1"}}`;
    const good = h.read(result(2, `{"content":[],"structuredContent":{"sum":1.0},${related}}`));
    expect((await h.server(good)).onward).toBe(good.bytes);
    await h.client(ask(3));
    const wrong = `{"content":[],"structuredContent":{"sum":"x"},${related}}`;
    const bad = await h.server(result(3, wrong));
    expect(parse(bad.onward)).toMatchObject({ id: 3, result: { isError: true } });
    const [record, ...more] = h.records("tool_call");
    expect(more).toEqual([]);
    expect(h.records("policy_decision")).toMatchObject([
      { request_id: record?.request_id, tool: "add" },
    ]);
  });

  it("that is completed carries its result, of which only the invalid part is replaced", async () => {
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

  it("has its result checked when a notification delivers it", async () => {
    const h = await ready(STRICT, MODERN);
    await h.client(call(1, "add", '{"a":1}', "", MODERN));
    await h.server(result(1, '{"resultType":"task","taskId":"t1"}'));
    const told = (taskId: string, content: string): string =>
      `{"jsonrpc":"2.0","method":"notifications/tasks","params":{"taskId":"${taskId}","status":"completed", "result":{"content":[]${content}}}}`;
    const frame = h.read(told("t1", ',"structuredContent":{"sum":5}'));
    expect((await h.server(frame)).onward).toBe(frame.bytes);
    const { onward } = await h.server(told("t1", ',"structuredContent":{"sum":"x"}'));
    expect(parse(onward)).toMatchObject({
      method: "notifications/tasks",
      params: { taskId: "t1", status: "completed", result: { isError: true } },
    });
    expect(Buffer.from(onward ?? []).toString()).not.toContain('"x"');
    expect(h.records("policy_decision")).toMatchObject([{ tool: "add", decision: "blocked" }]);
  });

  it("has a result checked in a notification that should have none", async () => {
    const h = await ready(STRICT, LEGACY);
    await h.client(call(1, "add", '{"a":1}', ',"task":{}'));
    const task =
      '"taskId":"t1","status":"working","createdAt":"2026-01-01T00:00:00Z","lastUpdatedAt":"2026-01-01T00:00:00Z","ttl":null';
    await h.server(result(1, `{"task":{${task}}}`));
    const status = (sum: string): string =>
      `{"jsonrpc":"2.0","method":"notifications/tasks/status","params":{${task},"result":{"content":[],"structuredContent":{"sum":${sum}}}}}`;
    const frame = h.read(status("5"));
    expect((await h.server(frame)).onward).toBe(frame.bytes);
    const { onward } = await h.server(status('"evil"'));
    expect(parse(onward)).toMatchObject({ params: { taskId: "t1", result: { isError: true } } });
    expect(Buffer.from(onward ?? []).toString()).not.toContain("evil");
  });

  it("cannot skip the check by asking for input in its result", async () => {
    const h = await ready(STRICT, MODERN);
    await h.client(call(1, "add", '{"a":1}', "", MODERN));
    await h.server(result(1, '{"resultType":"task","taskId":"t1"}'));
    const params = { taskId: "t1", _meta: modernMeta() };
    await h.client({ jsonrpc: "2.0", id: 1, method: "tasks/get", params });
    const inner = '{"resultType":"input_required","structuredContent":{"sum":"evil"}}';
    const text = `{"resultType":"complete","taskId":"t1","status":"completed","result":${inner}}`;
    const { onward } = await h.server(result(1, text));
    expect(Buffer.from(onward ?? []).toString()).not.toContain("evil");
  });

  it.each([
    ["add", "lax"],
    ["lax", "add"],
  ])(
    "cannot reuse the id of a task that is not fetched yet: of %s for %s",
    async (first, second) => {
      const h = await ready(STRICT, MODERN);
      await h.list([ADD, { name: "lax", inputSchema: { type: "object" } }]);
      const task = '{"resultType":"task","taskId":"t1"}';
      await h.client(call(1, first, '{"a":1}', "", MODERN));
      await h.server(result(1, task));
      await h.client(call(2, first, '{"a":1}', "", MODERN));
      const again = h.read(result(2, task));
      expect((await h.server(again)).onward).toBe(again.bytes);
      await h.client(call(3, second, '{"a":1}', "", MODERN));
      expect(parse((await h.server(result(3, task))).onward)).toMatchObject({
        id: 3,
        error: { code: -32603, data: { issues: [{ path: "/result/taskId" }] } },
      });
      const params = { taskId: "t1", _meta: modernMeta() };
      await h.client({ jsonrpc: "2.0", id: 4, method: "tasks/get", params });
      await h.server(result(4, '{"resultType":"complete","taskId":"t1","status":"failed"}'));
      await h.client(call(5, second, '{"a":1}', "", MODERN));
      const later = h.read(result(5, task));
      expect((await h.server(later)).onward).toBe(later.bytes);
    },
  );

  /** A task that was made before the gateway started, or that it has forgotten. */
  describe("whose announcement the gateway has not seen", () => {
    const SUM = ',"structuredContent":{"sum":"x"}';
    const RESULTS: readonly (readonly [string, string, (more: string) => string])[] = [
      [
        "tasks/result",
        LEGACY,
        (more) =>
          result(
            2,
            `{"content":[],"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"?"}}${more}}`,
          ),
      ],
      [
        "tasks/get",
        MODERN,
        (more) =>
          result(
            2,
            `{"resultType":"complete","taskId":"?","status":"completed","result":{"content":[]${more}}}`,
          ),
      ],
      [
        "notifications/tasks",
        MODERN,
        (more) =>
          `{"jsonrpc":"2.0","method":"notifications/tasks","params":{"taskId":"?","status":"completed","result":{"content":[]${more}}}}`,
      ],
      // Clients register their handlers for all revisions at once.
      ...["2024-11-05", "2025-03-26", "2025-06-18", LEGACY].flatMap((revision) =>
        ["notifications/tasks", "notifications/tasks/status"].map(
          (method) =>
            [
              method,
              revision,
              (more: string) =>
                `{"jsonrpc":"2.0","method":"${method}","params":{"taskId":"?","status":"completed","createdAt":"","lastUpdatedAt":"","ttl":null,"result":{"content":[]${more}}}}`,
            ] as const,
        ),
      ),
    ];
    const fetched = async (h: Harness, method: string, answer: string, revision: string) => {
      const meta = revision === MODERN ? { _meta: modernMeta() } : {};
      if (!method.startsWith("notifications/")) {
        await h.client({ jsonrpc: "2.0", id: 2, method, params: { taskId: "?", ...meta } });
      }
      const frame = h.read(answer);
      const { onward } = await h.server(frame);
      return { passes: onward === frame.bytes, text: Buffer.from(onward ?? []).toString() };
    };

    it.each(RESULTS)(
      "has its result blocked in strict, even if only one tool is strict: %s in %s",
      async (method, revision, of) => {
        const settings = modes({ input: "off", output: "strict", protocol: "off" });
        for (const options of [{ settings }, { settings: all("off"), tools: { add: settings } }]) {
          const h = new Harness({ ...options, revision });
          const { passes, text } = await fetched(h, method, of(SUM), revision);
          expect(passes).toBe(false);
          expect(text).not.toContain('"sum"');
          expect(text).toContain("has not seen the call that made this task");
          expect(h.activity.records).toMatchObject([
            {
              type: "policy_decision",
              direction: "output",
              decision: "blocked",
              outcome: "unknown",
            },
          ]);
        }
      },
    );

    it.each(RESULTS)(
      "has its result forwarded otherwise, with a record if it is checked: %s in %s",
      async (method, revision, of) => {
        const allowed = modes({ output: "strict" }, { onUnknownSchema: "allow" });
        for (const [settings, more, decisions] of [
          [all("warn"), SUM, ["warning"]],
          [allowed, SUM, ["warning"]],
          [all("strict"), "", []],
          [all("off"), SUM, []],
        ] as const) {
          const h = new Harness({ settings, revision });
          expect((await fetched(h, method, of(more), revision)).passes).toBe(true);
          expect(h.records("policy_decision").map(({ decision }) => decision)).toEqual(decisions);
        }
      },
    );
  });
});
