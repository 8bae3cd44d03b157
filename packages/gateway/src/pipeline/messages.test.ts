import { idKey } from "@touchstone/protocol/advanced";
import { describe, expect, it } from "vitest";
import type { Mode } from "../settings/validation.ts";
import {
  ADD,
  all,
  call,
  Harness,
  initializeParams,
  LEGACY,
  MODERN,
  modernMeta,
  modes,
  parse,
  result,
} from "./testing/harness.ts";

const MODES: Mode[] = ["off", "warn", "strict"];
const recorded = (mode: Mode): object[] =>
  mode === "off"
    ? []
    : [{ direction: "protocol", mode, decision: mode === "strict" ? "blocked" : "warning" }];

describe("a client's message that breaks JSON-RPC", () => {
  const table: [string, string, "request" | "notification" | "answer"][] = [
    ["no version", '{"id":1,"method":"ping"}', "request"],
    ["a wrong version", '{"jsonrpc":"1.0","id":1,"method":"ping"}', "request"],
    ["a fraction as id", '{"jsonrpc":"2.0","id":1.5,"method":"ping"}', "request"],
    ["params of a wrong type", '{"jsonrpc":"2.0","id":1,"method":"ping","params":3}', "request"],
    ["neither method nor result", '{"jsonrpc":"2.0","id":1}', "request"],
    ["a duplicate key", '{"jsonrpc":"2.0","id":1,"method":"ping","method":"pong"}', "request"],
    ["an empty batch", "[]", "request"],
    ["a scalar", "42", "request"],
    ["a notification's params", '{"jsonrpc":"2.0","method":"x","params":1}', "notification"],
    ["result and error", '{"jsonrpc":"2.0","id":"s","result":{},"error":{}}', "answer"],
    ["an error without code", '{"jsonrpc":"2.0","id":"s","error":{"message":""}}', "answer"],
  ];
  const cases = MODES.flatMap((mode) => table.map((row) => [mode, ...row] as const));
  it.each(cases)("in %s: %s", async (mode, _name, text, kind) => {
    const h = new Harness({ settings: all(mode) });
    const frame = h.read(text);
    const { onward, back } = await h.client(frame);
    expect(h.records("policy_decision")).toMatchObject(recorded(mode));
    if (mode !== "strict") {
      expect(onward).toBe(frame.bytes);
      expect(back).toBeUndefined();
    } else if (kind === "request") {
      expect(onward).toBeUndefined();
      expect(back?.map(parse)).toMatchObject([{ error: { data: { issues: [{}] } } }]);
    } else if (kind === "notification") {
      expect({ onward, back }).toEqual({});
    } else {
      // The server still waits for a response to its own request.
      expect(parse(onward)).toMatchObject({ id: "s", error: {} });
      expect(back).toBeUndefined();
    }
  });

  it.each(MODES)("that is not JSON is blocked in %s", async (mode) => {
    const h = new Harness({ settings: modes({ protocol: mode }) });
    await h.list([ADD]);
    // Python's parser accepts this JSON, so the server would run the call.
    const { onward, back } = await h.client(call(3, "add", '{"a":NaN}'));
    expect(onward).toBeUndefined();
    expect(back?.map(parse)).toMatchObject([{ id: 3, error: { code: -32700 } }]);
    expect(h.records("policy_decision")).toMatchObject(
      mode === "off" ? [] : [{ mode, decision: "blocked" }],
    );
    const answer = await h.client('{"jsonrpc":"2.0","id":"s","result":{}');
    expect(parse(answer.onward)).toMatchObject({ id: "s", error: {} });
  });

  it.each(MODES)(
    "that reuses a pending id is checked even within one turn of the event loop, in %s",
    async (mode) => {
      const h = new Harness({ settings: all(mode) });
      await h.list([ADD]);
      const [first, second] = await Promise.all([
        h.client(call(1, "add", '{"a":1}')),
        h.client(call(1, "add", '{"a":2}')),
      ]);
      expect(first?.onward).toBeDefined();
      expect(second?.onward === undefined).toBe(mode === "strict");
      expect(h.records("policy_decision")).toMatchObject(recorded(mode));
      expect(h.pipeline.pending).toBe(mode === "strict" ? 1 : 2);
    },
  );
});

describe("a server's message that breaks JSON-RPC", () => {
  it.each(MODES)("is handled as a request, in %s", async (mode) => {
    const h = new Harness({ settings: all(mode) });
    const frame = h.read('{"jsonrpc":"2.0","id":"s","method":"roots/list","params":3}');
    const { onward, back } = await h.server(frame);
    expect(h.records("policy_decision")).toMatchObject(recorded(mode));
    if (mode === "strict") {
      expect(onward).toBeUndefined();
      expect(back?.map(parse)).toMatchObject([{ id: "s", error: { code: -32602 } }]);
    } else expect({ onward, back }).toEqual({ onward: frame.bytes });
  });

  it.each(["5", '"s"'])(
    "is handled as a response if it has a method too and results are strict: %s",
    async (id) => {
      const h = new Harness({ settings: modes({ output: "strict", protocol: "warn" }) });
      await h.list([ADD]);
      await h.client(call(5, "add", '{"a":1}'));
      const result = '{"content":[],"structuredContent":{"sum":"x"}}';
      const { onward } = await h.server(
        `{"jsonrpc":"2.0","id":${id},"method":"x","result":${result}}`,
      );
      expect(onward).toBeUndefined();
      expect(h.records("policy_decision")).toMatchObject(recorded("strict"));
    },
  );

  it.each(MODES)("is handled as a notification, in %s", async (mode) => {
    const h = new Harness({ settings: all(mode) });
    const frame = h.read('{"jsonrpc":"1.0","method":"notifications/message"}');
    expect(await h.server(frame)).toEqual(mode === "strict" ? {} : { onward: frame.bytes });
    expect(h.records("policy_decision")).toMatchObject(recorded(mode));
  });

  it.each(MODES)("is handled as a response, in %s", async (mode) => {
    const h = new Harness({ settings: all(mode) });
    await h.list([ADD]);
    await h.client(call(5, "add", '{"a":1}'));
    const frame = h.read('{"id":5,"result":{"content":[],"structuredContent":{"sum":1}}}');
    const { onward } = await h.server(frame);
    expect(h.records("policy_decision")).toMatchObject(recorded(mode));
    expect(h.records("tool_call")).toHaveLength(1);
    if (mode === "strict") {
      expect(parse(onward)).toMatchObject({
        id: 5,
        error: { code: -32603, data: { issues: [{}] } },
      });
    } else expect(onward).toBe(frame.bytes);
  });

  it("is blocked before the result check, which then makes no decision", async () => {
    const h = new Harness({ settings: all("strict") });
    await h.list([ADD]);
    await h.client(call(5, "add", '{"a":1}'));
    await h.server('{"id":5,"result":{"structuredContent":{"sum":"no"}}}');
    expect(h.records("policy_decision")).toMatchObject([{ direction: "protocol" }]);
    expect(h.records("tool_call")).toMatchObject([{ direction: "protocol", status: "blocked" }]);
  });

  it.each([
    ["initialize", LEGACY, initializeParams()],
    ["server/discover", MODERN, { _meta: modernMeta() }],
  ])("is never blocked if it answers %s", async (method, revision, params) => {
    const h = new Harness({ settings: all("strict"), revision });
    await h.client({ jsonrpc: "2.0", id: 1, method, params });
    const frame = h.read('{"id":1,"result":{"protocolVersion":"2025-06-18","a":1,"a":2}}');
    expect((await h.server(frame)).onward).toBe(frame.bytes);
    expect(h.records("policy_decision")).toMatchObject([{ decision: "warning" }]);
  });

  it("never blocks a list because of one invalid item", async () => {
    const h = new Harness({ settings: all("strict") });
    await h.client({ jsonrpc: "2.0", id: 1, method: "tools/list" });
    const bad = '{"name":"bad","title":5,"inputSchema":{"type":"object"}}';
    const frame = h.read(result(1, `{"tools":[${JSON.stringify(ADD)},${bad}]}`));
    expect((await h.server(frame)).onward).toBe(frame.bytes);
    expect(h.records("policy_decision")).toMatchObject([
      { decision: "warning", issues: [{ path: "/result/tools/1/title" }] },
    ]);
    expect((await h.client(call(2, "add", "{}"))).onward).toBeUndefined();
    await h.client({ jsonrpc: "2.0", id: 3, method: "tools/list" });
    const outside = await h.server(result(3, '{"tools":[],"tools":[]}'));
    expect(parse(outside.onward)).toMatchObject({ id: 3, error: { code: -32603 } });
  });

  // According to RFC 8259, section 4, readers differ in which of two duplicate keys they use.
  it.each([
    ["outputSchema", '"outputSchema":{"type":"object"},"outputSchema":{"type":"object","x":1}'],
    ["outputSchema", '"outputSchema":{"type":"object"},"output\\u0053chema":{"type":"object"}'],
    ["outputSchema/x", '"outputSchema":{"type":"object","x":1,"x":2}'],
    ["name", '"name":"other"'],
    ["title", '"title":"a","title":"b"'],
    ["_meta/a/b", '"_meta":{"a":{"b":1,"b":1}}'],
  ])("blocks a list if an item has a duplicate key: %s", async (path, more) => {
    for (const mode of ["warn", "strict"] as const) {
      const h = new Harness({ settings: all(mode) });
      await h.client({ jsonrpc: "2.0", id: 1, method: "tools/list" });
      const bad = `{"name":"bad","inputSchema":{"type":"object"},${more}}`;
      const frame = h.read(result(1, `{"tools":[${JSON.stringify(ADD)},${bad}]}`));
      const { onward } = await h.server(frame);
      if (mode === "warn") expect(onward).toBe(frame.bytes);
      else expect(parse(onward)).toMatchObject({ id: 1, error: { code: -32603 } });
      expect(h.records("policy_decision")).toMatchObject([
        {
          decision: mode === "warn" ? "warning" : "blocked",
          issues: [{ path: `/result/tools/1/${path}`, rule: "duplicate" }],
        },
      ]);
    }
  });

  // The id as a string, in forms that a client which looks up `Number(id)` accepts, and with more digits than a
  // double has.
  describe.each(['"1"', '"01"', '" 1"', '"1.0"', '"0x1"', "1.00000000000000000001"])(
    "responses with the id %s, which some clients take for 1",
    (id) => {
      const answer = `{"jsonrpc":"2.0","id":${id},"result":{"content":[],"structuredContent":{"sum":"no"}}}`;
      const right = result(1, '{"content":[],"structuredContent":{"sum":1}}');
      const start = async (h: Harness): Promise<void> => {
        await h.list([ADD]);
        await h.client(call(1, "add", '{"a":1}'));
      };

      it.each(["off", "strict"] as const)(
        "are blocked in strict (protocol %s)",
        async (protocol) => {
          const h = new Harness({ settings: modes({ output: "strict", protocol }) });
          await start(h);
          expect(parse((await h.server(answer)).onward)).toMatchObject({ id: 1 });
          expect(h.pipeline.pending).toBe(0);
          // The client already has its response, and does not get another one.
          expect(await h.server(right)).toEqual({});
          expect(h.records("tool_call")).toMatchObject([{ status: "blocked" }]);
        },
      );

      it("are blocked if only their tool is strict", async () => {
        const tools = { add: modes({ output: "strict", protocol: "off" }) };
        const h = new Harness({ settings: all("off"), tools });
        await start(h);
        expect(parse((await h.server(answer)).onward)).toMatchObject({ id: 1 });
      });

      it("are forwarded and reported in warn, and the request stays pending for other clients", async () => {
        const h = new Harness();
        await start(h);
        const frame = h.read(answer);
        expect((await h.server(frame)).onward).toBe(frame.bytes);
        expect(h.records("policy_decision")).toMatchObject([
          {
            direction: "protocol",
            reason: expect.stringMatching(
              /\/id: .*(?:the id is not the request's|of the id differs from that of the request)/,
            ),
          },
          { direction: "output" },
        ]);
        expect((await h.pipeline.end("gone")).map(parse)).toMatchObject([{ id: 1, error: {} }]);
        expect(h.records("tool_call")).toHaveLength(1);
      });

      it("end the call if they are forwarded, and a response with the exact id is still checked", async () => {
        const slots = { limit: 1, taken: 0 };
        const h = new Harness({ slots, callTimeoutMs: 1e8 });
        await start(h);
        expect({ ...slots, pending: h.pipeline.pending }).toMatchObject({ taken: 1, pending: 1 });
        await h.server(answer);
        expect({ ...slots, pending: h.pipeline.pending }).toMatchObject({ taken: 0, pending: 0 });
        expect(await h.pipeline.fail(idKey("1"), "no answer")).toBeUndefined();
        const wrong = result(1, '{"content":[],"structuredContent":{"sum":"no"}}');
        expect((await h.server(wrong)).onward).toBeDefined();
        expect(h.records("policy_decision").at(-1)).toMatchObject({ direction: "output" });
        expect(await h.pipeline.end("gone")).toEqual([]);
        expect(h.records("tool_call")).toHaveLength(1);
      });
    },
  );

  it.each([
    ["one by one", [`${result(1, "{}")}`, `${result(1, "{}")}`]],
    ["in a batch", [`[${result(1, "{}")},${result(1, "{}")}]`]],
  ])(
    "leaves both requests of one id pending after responses with a look-alike id, %s",
    async (_, answers) => {
      const h = new Harness({ settings: all("off"), revision: "2025-03-26" });
      const ping = '{"jsonrpc":"2.0","id":"1","method":"ping"}';
      await h.client(ping);
      await h.client(ping);
      for (const answer of answers) {
        const frame = h.read(answer);
        expect((await h.server(frame)).onward).toBe(frame.bytes);
      }
      expect(h.pipeline.pending).toBe(0);
      const ends = (await h.pipeline.end("gone")).map(parse);
      expect(ends).toMatchObject([
        { id: "1", error: {} },
        { id: "1", error: {} },
      ]);
    },
  );

  it("drops a response with a look-alike id to a canceled call", async () => {
    const h = new Harness({ settings: modes({ output: "strict" }) });
    await h.list([ADD]);
    await h.client(call(1, "add", '{"a":1}'));
    await h.client('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}');
    const late = result("1", '{"content":[],"structuredContent":{"sum":"no"}}');
    expect(await h.server(late)).toEqual({});
  });

  it("forwards a response that no request is waiting for", async () => {
    const h = new Harness({ settings: all("strict") });
    const frame = h.read(result(77, "{}"));
    expect((await h.server(frame)).onward).toBe(frame.bytes);
    const error = h.read('{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"?"}}');
    expect((await h.server(error)).onward).toBe(error.bytes);
    expect(h.activity.records).toEqual([]);
  });

  it("records as many issues as fit into 16 KiB", async () => {
    const h = new Harness({ settings: all("strict") });
    const long = "k".repeat(2_000);
    const twice = Array.from({ length: 200 }, (_, i) => `"${long}${i}":1,"${long}${i}":2`).join();
    const { back } = await h.client(`{"jsonrpc":"2.0","id":1,"method":"ping","params":{${twice}}}`);
    expect(back?.[0]?.length).toBeLessThan(20_000);
    expect(JSON.stringify(h.records("policy_decision")[0]?.issues).length).toBeLessThan(17_000);
  });
});
