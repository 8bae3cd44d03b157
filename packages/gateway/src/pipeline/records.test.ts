import { describe, expect, it } from "vitest";
import {
  ADD,
  all,
  call,
  deferred,
  Harness,
  initializeParams,
  modes,
  parse,
  result,
  structured,
} from "./testing/harness.ts";
import { BAD_RESULT, gate, ready } from "./testing/ready.ts";

const refuse = (h: Harness): void => {
  h.activity.gate = () => Promise.reject(new Error("disk full"));
};

describe("records", () => {
  it("are one per call and one decision per failing check, linked", async () => {
    const h = await ready();
    await h.client({
      jsonrpc: "2.0",
      id: 0,
      method: "initialize",
      params: initializeParams(),
    });
    const serverInfo = { name: "s", version: "1" };
    const agreed = { protocolVersion: "2025-11-25", capabilities: {}, serverInfo };
    await h.server({ jsonrpc: "2.0", id: 0, result: agreed });
    h.clock = 10;
    await h.client(call(1, "add", '{"a":"hunter2","hunter3":1,"b":1e400}'));
    h.clock = 12.5;
    await h.server(BAD_RESULT);
    const decisions = h.records("policy_decision");
    expect(decisions.map(({ direction }) => direction)).toEqual(["input", "output"]);
    const [record, ...more] = h.records("tool_call");
    expect(more).toEqual([]);
    expect(new Set(h.activity.records.map(({ request_id }) => request_id))).toEqual(
      new Set([record?.request_id]),
    );
    expect(record).toMatchObject({
      source: "gateway",
      server: "srv",
      tool: "add",
      client: "me/2",
      decision: "warning",
      status: "warning",
      direction: "input",
      mode: "warn",
      outcome: "violation",
      duration_ms: 2.5,
      bytes_out: BAD_RESULT.length,
    });
    // Records and logs may contain names of arguments, but never their values.
    expect(JSON.stringify(h.activity.records) + h.lines.join("")).not.toContain("hunter2");
  });

  it("name the server, the client and the session", async () => {
    const h = await ready();
    Object.assign(h.pipeline.conversation, { client: "me/2", session: "sha256:s" });
    await h.client(call(1, "add", "{}"));
    await h.server(structured(1, '{"sum":1}'));
    await h.list([]);
    expect(new Set(h.activity.records.map(({ type }) => type))).toEqual(
      new Set(["policy_decision", "tool_call", "schema_change"]),
    );
    const from = {
      source: "gateway",
      server: "srv",
      client: "me/2",
      session: "sha256:s",
      tool: "add",
    };
    for (const record of h.activity.records) expect(record).toMatchObject(from);
  });

  it.each([
    ["breaks the protocol", '{"a":1,"a":1}', all("strict"), { limit: 9, taken: 0 }],
    ["breaks the schema", "{}", all("strict"), { limit: 9, taken: 0 }],
    ["is one too many", '{"a":1,"b":1}', all("warn"), { limit: 1, taken: 1 }],
  ])("have the size of the response to a call that %s", async (_, args, settings, slots) => {
    const h = new Harness({ settings, slots });
    await h.list([ADD]);
    const { back } = await h.client(call(1, "add", args));
    expect(back).toHaveLength(1);
    expect(h.records("tool_call")).toMatchObject([{ bytes_out: back?.[0]?.length }]);
  });

  it.each([
    ["protocol", '{"a":1,"a":1}'],
    ["input", "{}"],
  ])(
    "have no response size for a call without an id that is blocked for its %s",
    async (direction, args) => {
      const h = await ready(modes({ protocol: "off", input: "off", [direction]: "strict" }));
      const params = `{"name":"add","arguments":${args}}`;
      expect(await h.client(`{"jsonrpc":"2.0","method":"tools/call","params":${params}}`)).toEqual(
        {},
      );
      const [record, ...more] = h.records("tool_call");
      expect(more).toEqual([]);
      expect(record?.status).toBe("blocked");
      expect(record?.bytes_out).toBeNull();
    },
  );

  it("redact a secret in a member's name, and so does the log", async () => {
    const h = new Harness({ settings: all("strict") });
    await h.list([{ name: "t", inputSchema: { additionalProperties: false } }]);
    const secret = `ghp_${"a1".repeat(18)}`;
    await h.client(call(1, "t", JSON.stringify({ [secret]: 1 })));
    expect(h.lines.join("")).toContain("/[redacted] is not declared");
    expect(
      h.lines.join("") + JSON.stringify(h.records("policy_decision")[0]?.reason),
    ).not.toContain(secret);
  });

  it("that cannot be written do not flood the log", async () => {
    const h = await ready();
    refuse(h);
    for (let id = 1; id <= 200; id += 1) {
      const { back } = await h.client(call(id, "add", "{}"));
      expect(parse(back?.[0])).toMatchObject({ id, error: {} });
    }
    const told = h.lines.filter((line) => line.includes("could not be recorded"));
    expect(told.length).toBeGreaterThan(1);
    expect(told.length).toBeLessThan(30);
    expect(told.at(-1)).toContain("more such lines are left out");
  });

  it.each(["{}", '{"name":["add"],"arguments":{}}', '{"name":7}'])(
    "include calls without a readable tool name, because a server may find one: %s",
    async (params) => {
      const frame = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`;
      const passing = await ready();
      await passing.client(frame);
      await passing.server(result(1, '{"content":[]}'));
      const stopping = await ready(all("strict"));
      expect((await stopping.client(frame)).back?.map(parse)).toMatchObject([
        { id: 1, error: { code: -32602 } },
      ]);
      for (const [h, status] of [
        [passing, "warning"],
        [stopping, "blocked"],
      ] as const) {
        const [record, ...more] = h.records("tool_call");
        expect(record).toMatchObject({ server: "srv", direction: "protocol", status });
        expect(record?.tool ?? null).toBeNull();
        expect(more).toEqual([]);
        const [decision, ...unknown] = h.records("policy_decision");
        expect(decision).toMatchObject({
          request_id: record?.request_id,
          status,
          issues: [{ path: "/params/name" }],
        });
        expect(unknown.map(({ outcome }) => outcome)).toEqual(h === passing ? ["unknown"] : []);
      }
    },
  );

  it("are durable before any message is forwarded", async () => {
    const h = await ready();
    for (const [side, frame] of [
      ["client", h.read(call(1, "add", "{}"))],
      ["server", h.read(BAD_RESULT)],
      ["server", h.read('{"jsonrpc":"2.0","method":"x","params":1}')],
    ] as const) {
      const held = gate(h);
      let released = false;
      const passage = h[side](frame).then((ready) => {
        released = true;
        return ready;
      });
      await held.reached;
      // After one turn of the event loop, everything that does not wait for the gate has resolved.
      await new Promise((resolve) => setImmediate(resolve));
      expect(released).toBe(false);
      held.open();
      expect((await passage).onward).toBe(frame.bytes);
    }
  });

  it("that cannot be written block the call, with an error", async () => {
    const h = await ready();
    refuse(h);
    const { onward, back } = await h.client(call(1, "add", "{}"));
    expect(onward).toBeUndefined();
    expect(back?.map(parse)).toMatchObject([{ id: 1, error: { code: -32603 } }]);
    expect(h.pipeline.pending).toBe(0);
    expect(await h.pipeline.end("gone")).toEqual([]);
    expect(h.lines.join("")).toContain("disk full");
  });

  it("that cannot be written block a result, a list and a server's message", async () => {
    const h = await ready();
    await h.client(call(1, "add", '{"a":1}'));
    await h.client({ jsonrpc: "2.0", id: 2, method: "tools/list" });
    refuse(h);
    const stopped = await h.server(structured(1, '{"sum":1}'));
    expect(parse(stopped.onward)).toMatchObject({ id: 1, error: { code: -32603 } });
    const list = await h.server(result(2, '{"tools":[]}'));
    expect(parse(list.onward)).toMatchObject({ id: 2, error: { code: -32603 } });
    const other = await h.server('{"jsonrpc":"1.0","id":5,"result":{}}');
    expect(parse(other.onward)).toMatchObject({ id: 5, error: { code: -32603 } });
    const asked = await h.server('{"jsonrpc":"2.0","id":"s","method":"x","params":1}');
    expect(asked.onward).toBeUndefined();
    expect(asked.back?.map(parse)).toMatchObject([{ id: "s", error: {} }]);
    expect(await h.server('{"jsonrpc":"2.0","method":"x","params":1}')).toEqual({});
  });

  it("that cannot be written turn a malformed response into an error for its request", async () => {
    const h = await ready();
    await h.client(call(1, "add", '{"a":1}'));
    refuse(h);
    const { onward, back } = await h.server('{"jsonrpc":"2.0","id":1}');
    expect(parse(onward)).toMatchObject({ id: 1, error: { code: -32603 } });
    expect(back).toBeUndefined();
    expect(h.pipeline.pending).toBe(0);
    expect(await h.server('{"jsonrpc":"2.0","method":7}')).toEqual({});
  });

  it("that cannot be written block messages without an id, and answer the right side", async () => {
    const h = await ready();
    refuse(h);
    expect(await h.client('{"jsonrpc":"2.0","method":"x","params":1}')).toEqual({});
    const { onward, back } = await h.client('{"jsonrpc":"2.0","id":"s","result":1,"error":2}');
    expect(back).toBeUndefined();
    expect(parse(onward)).toMatchObject({ id: "s", error: { code: -32603 } });
  });

  it("that cannot be written leave a canceled call pending", async () => {
    const h = await ready();
    await h.client(call(1, "add", '{"a":1}'));
    refuse(h);
    const cancelled = {
      jsonrpc: "2.0",
      method: "notifications/cancelled",
      params: { requestId: 1 },
    };
    expect(await h.client(cancelled)).toEqual({});
    h.activity.gate = async () => {};
    expect((await h.pipeline.end("gone")).map(parse)).toMatchObject([{ id: 1 }]);
    expect(h.records("tool_call")).toMatchObject([{ reason: "gone" }]);
  });

  it("that cannot be written leave a canceled call pending for exactly one response", async () => {
    const h = new Harness({ settings: all("strict"), whole: true });
    await h.list([ADD]);
    await h.client(call(1, "add", '{"a":1}'));
    refuse(h);
    const params = { requestId: 1 };
    await h.client({ jsonrpc: "2.0", method: "notifications/cancelled", params });
    h.activity.gate = async () => {};
    const answer = h.read(structured(1, '{"sum":1}'));
    expect((await h.server(answer)).onward).toBe(answer.bytes);
    expect(await h.server(structured(1, '{"sum":1}'))).toEqual({});
  });

  it("that cannot be written leave nothing of a call canceled before it was sent", async () => {
    const h = new Harness({ settings: modes({ input: "warn", output: "strict" }), whole: true });
    await h.list([ADD]);
    const { promise: lost, reject } = deferred<void>();
    const reached = h.activity.nextAppend();
    h.activity.gate = () => lost;
    const called = h.client(call(1, "add", '{"a":"x"}'));
    await reached;
    h.activity.gate = async () => {};
    const params = { requestId: 1 };
    await h.client({ jsonrpc: "2.0", method: "notifications/cancelled", params });
    reject(new Error("full"));
    expect(await called).toEqual({});
    // The request was not sent to the server, so this response matches none.
    expect(await h.server(structured(1, '{"sum":1}'))).toEqual({});
  });

  it("that cannot be written end the call when the response has a look-alike id", async () => {
    const h = await ready(all("off"));
    await h.client(call("1", "add", '{"a":1}'));
    refuse(h);
    const { onward } = await h.server(structured(1, '{"sum":1}'));
    expect(parse(onward)).toMatchObject({ id: "1", error: { code: -32603 } });
    h.activity.gate = async () => {};
    expect(await h.pipeline.end("gone")).toEqual([]);
    expect(h.records("tool_call")).toEqual([]);
  });
});
