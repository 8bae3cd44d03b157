import { describe, expect, it } from "vitest";
import { ADD, all, call, Harness, modes, parse, result, structured } from "./testing/harness.ts";

const WRONG = '{"content":[],"structuredContent":{"sum":"no"}}';

describe("a result without a pending request", () => {
  it.each([
    all("strict"),
    modes({ input: "off", output: "strict", protocol: "off" }),
    modes({ input: "off", output: "off", protocol: "strict" }),
  ])(
    "is blocked in strict and recorded, because the client may be about to ask",
    async (settings) => {
      const h = new Harness({ settings, whole: true });
      await h.list([ADD]);
      expect(await h.server(result(9, WRONG))).toEqual({});
      expect(h.records("policy_decision")).toMatchObject([
        {
          direction: "protocol",
          mode: "strict",
          decision: "blocked",
          issues: [{ path: "/id", rule: "protocol", message: expect.stringMatching(/no request/) }],
        },
      ]);
      expect(h.lines.join("")).toMatch(/srv protocol blocked: server answer: \/id: no request/);
      // The request still gets its response as usual.
      await h.client(call(9, "add", '{"a":1}'));
      expect(h.pipeline.pending).toBe(1);
      expect((await h.server(result(9, WRONG))).onward).toBeDefined();
      expect(h.pipeline.pending).toBe(0);
    },
  );

  it("is blocked if a single tool is strict, because it could be that tool's", async () => {
    const tools = { add: modes({ output: "strict" }) };
    const h = new Harness({ settings: all("off"), tools, whole: true });
    expect(await h.server(result(9, WRONG))).toEqual({});
    expect(h.records("policy_decision")).toMatchObject([{ decision: "blocked" }]);
  });

  it("is blocked if its request was already answered, except on a resumed stream", async () => {
    const h = new Harness({ settings: all("strict"), whole: true });
    await h.list([ADD]);
    await h.client(call(9, "add", '{"a":1}'));
    const frame = h.read(structured(9, '{"sum":1}'));
    const first = await h.pipeline.fromServer(frame, { resumed: false, resumable: true });
    expect(first.onward).toBe(frame.bytes);
    expect(await h.server(frame)).toEqual({});
    const again = await h.pipeline.fromServer(frame, { resumed: true });
    expect(again.onward).toBe(frame.bytes);
  });

  it("becomes an error on a resumed stream, where its client may be waiting for it", async () => {
    const h = new Harness({ settings: modes({ output: "strict" }), whole: true });
    const frame = h.read(result(9, WRONG));
    const { onward } = await h.pipeline.fromServer(frame, { resumed: true });
    expect(parse(onward)).toMatchObject({
      id: 9,
      error: { code: -32603, message: expect.stringMatching(/has not seen the request/) },
    });
    const batch = h.read(`[${result(9, WRONG)}]`);
    expect(parse((await h.pipeline.fromServer(batch, { resumed: true })).onward)).toMatchObject([
      { id: 9, error: { code: -32603 } },
    ]);
    expect(await h.server(result(9, WRONG))).toEqual({});
  });

  it.each([
    modes(),
    modes({ input: "off", output: "warn", protocol: "off" }),
    modes({ input: "off", output: "off", protocol: "warn" }),
  ])("is forwarded unchanged and recorded in warn", async (settings) => {
    const h = new Harness({ settings, whole: true });
    const frame = h.read(result(9, WRONG));
    expect((await h.server(frame)).onward).toBe(frame.bytes);
    expect(h.records("policy_decision")).toMatchObject([
      {
        direction: "protocol",
        mode: "warn",
        decision: "warning",
        issues: [{ path: "/id", rule: "protocol", message: expect.stringMatching(/no request/) }],
      },
    ]);
  });

  it("is reported with its other issues, in one record", async () => {
    const h = new Harness({ settings: all("warn"), whole: true });
    await h.server('{"jsonrpc":"2.0","id":9,"result":{"a":1,"a":2}}');
    const [record, ...more] = h.records("policy_decision");
    expect(record?.issues?.map(({ path }) => path)).toEqual(["/id", "/result/a"]);
    expect(more).toEqual([]);
  });

  it("is reported if it repeats a response", async () => {
    const h = new Harness({ settings: all("warn"), whole: true });
    await h.list([ADD]);
    await h.client(call(1, "add", '{"a":1}'));
    await h.server(result(1, '{"content":[]}'));
    const again = h.read(result(1, '{"content":[]}'));
    expect((await h.server(again)).onward).toBe(again.bytes);
    expect(h.records("policy_decision")).toMatchObject([{ decision: "warning" }]);
  });

  it("is blocked if its record cannot be written", async () => {
    const h = new Harness({ settings: all("warn"), whole: true });
    h.activity.gate = () => Promise.reject(new Error("disk full"));
    const { onward } = await h.server(result(9, WRONG));
    expect(parse(onward)).toMatchObject({ id: 9, error: { code: -32603 } });
  });

  it("is forwarded if nothing is checked, or another gateway may know the request", async () => {
    for (const options of [{ settings: all("off"), whole: true }, { settings: modes() }]) {
      const h = new Harness(options);
      const frame = h.read(result(9, WRONG));
      expect((await h.server(frame)).onward).toBe(frame.bytes);
      expect(h.activity.records).toEqual([]);
    }
  });
});

it("forwards an error without a request, but drops the response to a canceled one", async () => {
  const h = new Harness({ settings: all("strict"), whole: true });
  const error = h.read('{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"?"}}');
  expect((await h.server(error)).onward).toBe(error.bytes);
  await h.client({ jsonrpc: "2.0", id: 1, method: "ping" });
  const params = { requestId: 1 };
  await h.client({ jsonrpc: "2.0", method: "notifications/cancelled", params });
  expect(await h.server(result(1, "{}"))).toEqual({});
  expect(h.activity.records).toEqual([]);
});
