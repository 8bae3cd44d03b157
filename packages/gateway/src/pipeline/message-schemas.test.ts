import { REVISIONS } from "@touchstone/protocol/advanced";
import { describe, expect, it } from "vitest";
import type { Mode } from "../settings/validation.ts";
import {
  ADD,
  all,
  bytesOf,
  call,
  Harness,
  type Json,
  LEGACY,
  MODERN,
  modes,
  PLAIN,
  parse,
  request,
  result,
  structured,
  told,
  toolList,
  toolResult,
} from "./testing/harness.ts";

const VERSIONS = REVISIONS.map(({ version }) => version);
const ERAS = [LEGACY, MODERN];

describe("a result that violates its revision's schema", () => {
  const start = async (mode: Mode, revision: string): Promise<Harness> => {
    const h = new Harness({ settings: all(mode), revision });
    await h.list([ADD]);
    await h.client(call(1, "add", '{"a":1}', "", revision));
    return h;
  };
  const bad = (revision: string): string =>
    structured(1, '{"sum":1.0}', revision).replace('"content":[]', '"content" : {"sum":1.0}');

  it.each(VERSIONS)("is forwarded unchanged in warn, with one decision: %s", async (revision) => {
    const h = await start("warn", revision);
    const frame = h.read(bad(revision));
    expect(await h.server(frame)).toEqual({ onward: frame.bytes });
    expect(told(h)).toEqual([["protocol", "warning", "/result/content"]]);
    expect(h.records("tool_call")).toMatchObject([{ status: "warning", direction: "protocol" }]);
  });

  it.each(VERSIONS)("becomes an error with its id in strict: %s", async (revision) => {
    const h = await start("strict", revision);
    const { onward, back } = await h.server(bad(revision));
    expect(back).toBeUndefined();
    expect(parse(onward)).toMatchObject({
      id: 1,
      error: {
        code: -32603,
        message: expect.stringContaining("/result/content must be an array"),
        data: { issues: [{ path: "/result/content", keyword: "type", rule: "protocol" }] },
      },
    });
    expect(told(h)).toEqual([["protocol", "blocked", "/result/content"]]);
    expect(h.records("tool_call")).toMatchObject([{ status: "blocked" }]);
    expect(h.pipeline.pending).toBe(0);
  });

  it.each(VERSIONS)("is not reported for a valid result in strict: %s", async (revision) => {
    const h = await start("strict", revision);
    const frame = h.read(structured(1, '{"sum":1}', revision));
    expect((await h.server(frame)).onward).toBe(frame.bytes);
    expect(h.records("policy_decision")).toEqual([]);
  });

  it("is checked in the tool's mode, and not at all if that is off", async () => {
    const tools = { add: modes({ protocol: "off", input: "strict", output: "strict" }) };
    const h = new Harness({ settings: all("strict"), tools });
    await h.list([ADD, { ...PLAIN, name: "other" }]);
    await h.client(call(1, "add", '{"a":1}'));
    const frame = h.read(bad(LEGACY));
    expect((await h.server(frame)).onward).toBe(frame.bytes);
    await h.client(call(2, "other", "{}"));
    expect(parse((await h.server(result(2, "{}"))).onward)).toHaveProperty("error.code", -32603);
  });
});

describe("a message that the revision does not define", () => {
  const notify = (method: string): object => ({ jsonrpc: "2.0", method, params: { vendor: [1] } });
  const more = ',"vendor":{"a":[1]},"_meta":{"vendor.example/x":1}';
  const STEPS: ["client" | "server", (revision: string) => Json][] = [
    ["client", () => ({ jsonrpc: "2.0", id: 1, method: "vendor/x", params: [1] })],
    ["server", () => result(1, "5")],
    ["client", () => notify("notifications/vendor/x")],
    ["server", () => notify("notifications/vendor/x")],
    ["client", (revision) => call(2, "add", '{"a":1}', ',"vendor":1', revision)],
    ["server", (revision) => toolResult(2, `${more},"structuredContent":{"sum":1}`, revision)],
    ["client", (revision) => request(3, "prompts/get", { name: "p", vendor: 1 }, revision)],
    ["server", () => '{"jsonrpc":"2.0","id":3,"error":{"code":-31999,"message":"","vendor":1}}'],
    ["client", () => call(4, "add", '{"a":1}', "", MODERN)],
    ["server", () => result(4, '{"resultType":"vendor/later","content":5}')],
  ];
  it.each(ERAS)("is checked only by JSON-RPC's rules: %s", async (revision) => {
    const h = new Harness({ settings: all("strict"), revision });
    await h.list([ADD]);
    // A call may name another revision than that of the session, for which no list is known yet.
    h.ask = async () => bytesOf(result(0, JSON.stringify(toolList([ADD], MODERN))));
    for (const [side, text] of STEPS) {
      const frame = h.read(text(revision));
      expect(await h[side](frame)).toEqual({ onward: frame.bytes });
    }
    expect(h.records("policy_decision")).toEqual([]);
  });
});

describe("the size of a message", () => {
  it("leaves a message over protocol_validation.max_bytes unchecked", async () => {
    const content = `[${Array.from({ length: 40 }, (_, i) => `{"type":"text","text":${i}.5}`).join()}]`;
    for (const mode of ["warn", "strict"] as const) {
      const messages = modes({ input: "off", output: "off" });
      const h = new Harness({ settings: { ...messages, protocol: { mode, maxBytes: 200 } } });
      await h.client(call(1, "add", "{}"));
      const frame = h.read(result(1, `{"content":${content}}`));
      const { onward } = await h.server(frame);
      if (mode === "warn") expect(onward).toBe(frame.bytes);
      else expect(parse(onward)).toMatchObject({ id: 1, error: { code: -32603 } });
      expect(h.records("policy_decision")).toMatchObject([
        { mode, issues: [{ path: "", rule: "guard", keyword: "maxBytes" }] },
      ]);
    }
  });

  it.each([
    [
      "an image without its type",
      `{"type":"image","data":"${"QUJD".repeat(1 << 20)}"}`,
      "mimeType",
    ],
    [
      "an image as a data: URL",
      '{"type":"image","mimeType":"i","data":"data:;base64,QQ=="}',
      "data",
    ],
    ["audio in base64url", '{"type":"audio","mimeType":"a","data":"_-8="}', "data"],
    [
      "text of no type",
      `{"type":"text","text":"","x":"${"y".repeat(1 << 20)}","annotations":5}`,
      "annotations",
    ],
  ])("does not hide a fault next to long data: %s", async (_name, block, member) => {
    const messages = modes({ input: "off", output: "off", protocol: "strict" });
    const h = new Harness({ settings: messages });
    await h.client(call(1, "add", "{}"));
    const frame = h.read(result(1, `{"content":[${block}]}`));
    const path = `/result/content/0/${member}`;
    expect(parse((await h.server(frame)).onward)).toMatchObject({ error: { code: -32603 } });
    expect(told(h)).toEqual([["protocol", "blocked", path]]);
  });

  it("does not count parts that are not examined", async () => {
    const settings = { ...all("strict"), protocol: { mode: "strict", maxBytes: 200 } } as const;
    const h = new Harness({ settings });
    const long = "x".repeat(200);
    for (const [text, passes] of [
      [`{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"x":"${long}"}}`, false],
      [`{"jsonrpc":"2.0","id":2,"method":"prompts/get","params":{"x":"short"}}`, false],
      [`{"jsonrpc":"1.0","id":3,"method":"prompts/get","params":{"x":"${long}"}}`, false],
      [`{"jsonrpc":"2.0","id":4,"method":"ping","params":{"${long}":1,"${long}":2}}`, false],
      [`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":5,"x":"${long}"}}`, false],
    ] as const) {
      expect((await h.client(text)).onward !== undefined).toBe(passes);
    }
    await h.client({ jsonrpc: "2.0", id: 6, method: "prompts/list" });
    const frame = h.read(result(6, `{"prompts":[],"x":"${long}"}`));
    expect((await h.server(frame)).onward).toBe(frame.bytes);
    await h.client({ jsonrpc: "2.0", id: 7, method: "prompts/list" });
    const wrong = await h.server(result(7, `{"prompts":5,"x":"${long}"}`));
    expect(parse(wrong.onward)).toMatchObject({ error: { code: -32603 } });
  });
});

describe("arguments and structured content with the wrong type", () => {
  it("are not a protocol fault if the tool's schema checks them", async () => {
    const h = new Harness({ settings: all("strict") });
    await h.list([ADD]);
    const { back } = await h.client(call(1, "add", "null"));
    expect(back?.map(parse)).toMatchObject([{ id: 1, result: { isError: true } }]);
    expect(told(h)).toEqual([["input", "blocked", ""]]);
  });

  it.each([
    ["without a contract", "other", {}],
    ["with input off", "add", { input: "off" }],
  ] as const)(
    "are a protocol fault if nothing else checks them: %s",
    async (_name, tool, changes) => {
      const h = new Harness({ settings: modes({ ...changes, protocol: "strict" }) });
      await h.list([ADD]);
      const { onward, back } = await h.client(call(1, tool, "null"));
      expect(onward).toBeUndefined();
      expect(back?.map(parse)).toMatchObject([{ id: 1, error: { code: -32602 } }]);
      expect(told(h)).toEqual([["protocol", "blocked", "/params/arguments"]]);
    },
  );

  it.each([
    ["2025-06-18", "null"],
    ["2025-06-18", "[1]"],
    [LEGACY, "false"],
    [LEGACY, '"x"'],
  ])(
    "are a protocol fault even if the tool's schema accepts them: %s, %s",
    async (revision, text) => {
      const open = { name: "open", inputSchema: { type: "object" }, outputSchema: {} };
      const h = new Harness({ settings: all("strict"), revision });
      await h.list([open, ADD]);
      await h.client(call(1, "open", "{}", "", revision));
      expect(parse((await h.server(structured(1, text, revision))).onward)).toMatchObject({
        error: { code: -32603, data: { issues: [{ path: "/result/structuredContent" }] } },
      });
      await h.client(call(2, "add", '{"a":1}', "", revision));
      expect(parse((await h.server(structured(2, text, revision))).onward)).toMatchObject({
        result: { isError: true },
      });
      expect(told(h)).toEqual([
        ["protocol", "warning", "/result/tools/0/outputSchema/type"],
        ["protocol", "blocked", "/result/structuredContent"],
        ["output", "blocked", ""],
      ]);
    },
  );

  it.each([
    ["input is warn", modes({ input: "warn", protocol: "strict" })],
    ["its class is ignored", all("strict", { rules: { type: "ignore" } })],
    ["its class is a warning", all("strict", { rules: { type: "warning" } })],
  ])("are one issue if the schema check would accept them: %s", async (_name, settings) => {
    const h = new Harness({ settings });
    await h.list([ADD]);
    const { back } = await h.client(call(1, "add", "[]"));
    expect(back?.map(parse)).toMatchObject([{ error: { code: -32602 } }]);
    expect(told(h)).toEqual([["protocol", "blocked", "/params/arguments"]]);
    await h.client(call(2, "add", '{"a":1}'));
    const output = { ...settings.output, mode: settings.input.mode };
    const changed = new Harness({ settings: { ...settings, output } });
    await changed.list([ADD]);
    await changed.client(call(2, "add", '{"a":1}'));
    const { onward } = await changed.server(structured(2, "[]"));
    expect(parse(onward)).toMatchObject({ error: { code: -32603 } });
  });

  it("must not be given twice, because only one would be checked", async () => {
    const h = new Harness({ settings: all("strict") });
    await h.list([ADD]);
    const twice = call(1, "add", '{"a":"x"}', ',"arguments":{"a":1}');
    expect((await h.client(twice)).back?.map(parse)).toMatchObject([{ error: { code: -32602 } }]);
    await h.client(call(2, "add", '{"a":1}'));
    const more = ',"structuredContent":{"sum":"x"},"structuredContent":{"sum":1}';
    expect(parse((await h.server(toolResult(2, more))).onward)).toMatchObject({
      id: 2,
      error: { code: -32603 },
    });
    expect(told(h)).toEqual([
      ["protocol", "blocked", "/params/arguments"],
      ["protocol", "blocked", "/result/structuredContent"],
    ]);
  });
});

it("mode off checks no message", async () => {
  const h = new Harness({ settings: modes({ protocol: "off" }) });
  const steps: ["client" | "server", Json][] = [
    ["client", { jsonrpc: "2.0", id: 1, method: "prompts/get" }],
    ["server", result(1, '{"messages":5}')],
    ["server", { jsonrpc: "2.0", id: 1, method: "elicitation/create" }],
    ["client", result(1, '{"action":"maybe"}')],
    ["server", { jsonrpc: "2.0", method: "notifications/progress" }],
    ["client", { jsonrpc: "2.0", id: 2, method: "tools/list" }],
    ["server", result(2, '{"tools":[5]}')],
  ];
  for (const [side, text] of steps) {
    const frame = h.read(text);
    expect(await h[side](frame)).toEqual({ onward: frame.bytes });
  }
  expect(h.activity.records).toEqual([]);
});
