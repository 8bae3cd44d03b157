import { describe, expect, it } from "vitest";
import type { ValidationSettings } from "../settings/validation.ts";
import {
  ADD,
  all,
  bytesOf,
  call,
  Harness,
  initializeParams,
  type Json,
  LEGACY,
  MemoryStore,
  MODERN,
  modernMeta,
  modes,
  parse,
  request,
  structured,
  toolList,
  toolResult,
} from "./testing/harness.ts";

const BAD = '{"a":"x"}';
const error = (code: number, message: string): object => ({
  jsonrpc: "2.0",
  id: 0,
  error: { code, message },
});
const answering = (message: Json) => async (): Promise<Uint8Array> => bytesOf(message);
const page = (tools: readonly object[], more: object = {}): object => ({
  jsonrpc: "2.0",
  id: 0,
  result: toolList(tools, LEGACY, more),
});
const bytesText = (bytes: Uint8Array | undefined): string =>
  (parse(bytes) as { result?: { content?: { text: string }[] } }).result?.content?.[0]?.text ?? "";

/** Reasons why a list is unavailable, and the text for the caller in each case. */
const GAPS: readonly (readonly [string, (h: Harness) => void, RegExp])[] = [
  ["no answer", () => {}, /nobody answers/],
  [
    "an error",
    (h) => (h.ask = answering(error(-32602, "Invalid request\u001b[0m"))),
    /with error -32602: Invalid request\\u\{1b\}/,
  ],
  ["no list", (h) => (h.ask = answering({ jsonrpc: "2.0", id: 0, result: {} })), /has no list/],
];

describe("a call of a tool with unknown schemas", () => {
  it.each(GAPS)(
    "is blocked in strict, with the reason and what to do: %s",
    async (_, prepare, why) => {
      for (const settings of [
        all("strict"),
        modes({ input: "strict", output: "off", protocol: "off" }),
        modes({ input: "off", output: "strict", protocol: "off" }),
      ]) {
        const h = new Harness({ settings });
        prepare(h);
        const { onward, back } = await h.client(call(1, "add", BAD));
        expect(onward).toBeUndefined();
        expect(parse(back?.[0])).toMatchObject({ id: 1, result: { isError: true } });
        expect(bytesText(back?.[0])).toMatch(/cannot be checked yet/);
        expect(bytesText(back?.[0])).toMatch(why);
        expect(bytesText(back?.[0])).toMatch(/List the tools and call again/);
        const direction = settings.input.mode === "strict" ? "input" : "output";
        expect(h.records("policy_decision").at(-1)).toMatchObject({
          ...{ direction, decision: "blocked", status: "blocked", outcome: "unknown" },
          issues: [{ rule: "schema", keyword: "unavailable" }],
        });
        expect(h.records("tool_call")).toMatchObject([
          { decision: "blocked", status: "blocked", outcome: "unknown", direction },
        ]);
        expect(h.pipeline.pending).toBe(0);
      }
    },
  );

  it.each(GAPS)("is forwarded in warn, with a record: %s", async (_, prepare, why) => {
    const h = new Harness({ settings: modes({ protocol: "off" }) });
    prepare(h);
    const frame = h.read(call(1, "add", BAD));
    expect((await h.client(frame)).onward).toBe(frame.bytes);
    const answer = h.read(structured(1, '{"sum":"no"}'));
    expect((await h.server(answer)).onward).toBe(answer.bytes);
    expect(h.records("policy_decision")).toMatchObject([
      { direction: "input", decision: "warning", status: "warning", outcome: "unknown" },
    ]);
    expect(h.records("tool_call")).toMatchObject([
      {
        decision: "warning",
        status: "warning",
        outcome: "unknown",
        reason: expect.stringMatching(why),
      },
    ]);
  });

  it("is forwarded if every strict direction allows unknown schemas", async () => {
    const passes = async (input: "allow" | "block", output: "allow" | "block") => {
      const strict = all("strict");
      const settings: ValidationSettings = {
        ...strict,
        input: { ...strict.input, onUnknownSchema: input },
        output: { ...strict.output, onUnknownSchema: output },
      };
      const h = new Harness({ settings });
      return (await h.client(call(1, "add", BAD))).onward !== undefined;
    };
    expect(await Promise.all([passes("allow", "allow"), passes("allow", "block")])).toEqual([
      true,
      false,
    ]);
    expect(await passes("block", "allow")).toBe(false);
  });

  it("needs no list if no payload is checked", async () => {
    const h = new Harness({ settings: modes({ input: "off", output: "off" }) });
    await h.client(call(1, "add", BAD));
    await h.server(toolResult(1));
    expect(h.asked).toEqual([]);
    expect(h.records("policy_decision")).toEqual([]);
    expect(h.records("tool_call")).toMatchObject([{ decision: "allowed", outcome: "skipped" }]);
  });

  it("makes the gateway ask the server again after 5 s, not earlier", async () => {
    const h = new Harness({ settings: all("strict") });
    const asks = async (clock: number, id: number): Promise<number> => {
      h.clock = clock;
      await h.client(call(id, "add", '{"a":1}'));
      return h.asked.length;
    };
    expect([await asks(0, 1), await asks(4_999, 2)]).toEqual([1, 1]);
    h.ask = answering(page([ADD]));
    const { onward } = await h.client(call(3, "add", '{"a":1}'));
    expect(onward).toBeUndefined();
    expect(await asks(5_000, 4)).toBe(2);
    expect((await h.client(call(5, "add", BAD))).onward).toBeUndefined();
    expect(h.records("tool_call").at(-1)).toMatchObject({ outcome: "violation" });
  });
});

describe("a message that is not to be forwarded, or is faulty", () => {
  const P = "io.modelcontextprotocol/";
  const faulty = (id: number, meta: object): string =>
    JSON.stringify({
      ...{ jsonrpc: "2.0", id, method: "tools/call" },
      params: { name: "add", arguments: { a: 1 }, _meta: { ...modernMeta(), ...meta } },
    });

  it.each([
    ["capabilities that are a text", { [`${P}clientCapabilities`]: "x" }],
    ["a client that has no name", { [`${P}clientInfo`]: {} }],
  ])("sends no tools/list, and does not leave other calls unchecked: %s", async (_, meta) => {
    for (const protocol of ["strict", "warn"] as const) {
      const settings = modes({ input: "strict", output: "strict", protocol });
      const h = new Harness({ settings, revision: undefined });
      h.ask = async () => {
        const asked = JSON.parse(h.asked.at(-1)?.params ?? "{}")._meta;
        expect(asked).toEqual({ [`${P}protocolVersion`]: MODERN, [`${P}clientCapabilities`]: {} });
        return bytesOf({ jsonrpc: "2.0", id: 0, result: toolList([ADD], MODERN) });
      };
      const first = await h.client(faulty(1, meta));
      expect(first.onward).toBeUndefined();
      expect(h.asked).toEqual([]);
      const bad = await h.client(call(2, "add", BAD, "", MODERN));
      expect(parse(bad.back?.[0])).toMatchObject({ id: 2, result: { isError: true } });
      expect(h.asked).toHaveLength(1);
      const good = h.read(call(3, "add", '{"a":1}', "", MODERN));
      expect((await h.client(good)).onward).toBe(good.bytes);
      const answer = await h.server(structured(3, '{"sum":"no"}', MODERN));
      expect(bytesText(answer.onward)).toContain("output schema validation failed");
    }
  });

  it("sends no tools/list if the transport found the fault", async () => {
    const h = new Harness({ settings: all("strict") });
    const fault = { code: -32020, message: "the header says something else" };
    const { passage } = await h.pipeline.fromClient(h.read(call(1, "add", "{}")), {
      transport: fault,
    });
    expect((await passage).onward).toBeUndefined();
    expect(h.asked).toEqual([]);
  });
});

describe("a call before the handshake", () => {
  it("is blocked in strict, and forwarded in warn with a record", async () => {
    for (const [mode, decision] of [
      ["strict", "blocked"],
      ["warn", "warning"],
    ] as const) {
      const settings = modes({ input: mode, output: mode, protocol: "off" });
      const h = new Harness({ settings, revision: undefined });
      h.ask = async () => bytesOf(error(-32602, "not initialized"));
      const sent = call(1, "add", BAD);
      const { onward, back } = await h.client(sent);
      expect(onward?.toString()).toBe(mode === "warn" ? sent : undefined);
      expect(back === undefined).toBe(mode === "warn");
      expect(h.records("policy_decision")).toMatchObject([{ decision, outcome: "unknown" }]);
    }
  });

  it("does not leave the next call unchecked", async () => {
    const h = new Harness({ settings: all("strict"), revision: undefined });
    let ready = false;
    h.ask = async () => bytesOf(ready ? page([ADD]) : error(-32602, "not initialized"));
    const early = call(
      1,
      "add",
      '{"a":1}',
      `,"_meta":{"${"io.modelcontextprotocol/"}protocolVersion":"${LEGACY}"}`,
    );
    expect((await h.client(early)).onward).toBeUndefined();
    await h.client(request(2, "initialize", initializeParams(), LEGACY));
    const introduction = {
      protocolVersion: LEGACY,
      capabilities: { tools: {} },
      serverInfo: { name: "s", version: "1" },
    };
    await h.server({ jsonrpc: "2.0", id: 2, result: introduction });
    expect((await h.client(call(3, "add", '{"a":1}'))).onward).toBeUndefined();
    ready = true;
    await h.client({ jsonrpc: "2.0", method: "notifications/initialized" });
    expect((await h.client(call(4, "add", BAD))).onward).toBeUndefined();
    expect(h.records("tool_call").at(-1)).toMatchObject({ outcome: "violation" });
    expect((await h.client(call(5, "add", '{"a":1}'))).onward).toBeDefined();
  });
});

describe("a name that the server does not list", () => {
  const unknown = (name: string) => ({ error: { code: -32602, message: `Unknown tool: ${name}` } });

  it("is answered as an unknown tool in strict, after the list was fetched again", async () => {
    const h = new Harness({ settings: all("strict") });
    await h.list([ADD]);
    h.ask = answering(page([ADD]));
    const first = await h.client(call(1, "Add", "{}"));
    expect(parse(first.back?.[0])).toMatchObject({ id: 1, ...unknown("Add") });
    expect(h.asked).toHaveLength(1);
    for (const name of ["add ", "add\u0000", "ADD", "x".repeat(2_000)]) {
      expect((await h.client(call(2, name, "{}"))).onward).toBeUndefined();
    }
    expect(h.asked).toHaveLength(1);
    expect(h.records("policy_decision")[0]).toMatchObject({
      ...{ decision: "blocked", outcome: "unknown", tool: "Add" },
      issues: [{ rule: "schema", keyword: "unlisted" }],
    });
    // The server may list the tool by now without having reported a change.
    h.clock = 5_000;
    h.ask = answering(page([ADD, { ...ADD, name: "Add" }]));
    expect((await h.client(call(3, "Add", '{"a":1}'))).onward).toBeDefined();
    expect(h.asked).toHaveLength(2);
  });

  it("is forwarded in warn, with a record", async () => {
    const h = new Harness({ settings: all("warn") });
    await h.list([ADD]);
    h.ask = answering(page([ADD]));
    expect((await h.client(call(1, "other", "{}"))).onward).toBeDefined();
    expect(h.records("policy_decision")).toMatchObject([
      { decision: "warning", outcome: "unknown" },
    ]);
  });

  it.each([
    ["without the tools capability", {}, -32000],
    ["that has no tools/list", { tools: {} }, -32601],
  ])("is every name of a server %s", async (_, capabilities, code) => {
    const h = new Harness({ settings: all("strict") });
    h.ask = answering(error(code, "Method not found"));
    await h.client(request(1, "initialize", initializeParams(), LEGACY));
    const introduction = {
      protocolVersion: LEGACY,
      capabilities,
      serverInfo: { name: "s", version: "1" },
    };
    await h.server({ jsonrpc: "2.0", id: 1, result: introduction });
    const { back } = await h.client(call(2, "add", "{}"));
    expect(parse(back?.[0])).toMatchObject({ id: 2, ...unknown("add") });
    // A server without the capability that lists tools anyway has these tools.
    await h.list([ADD]);
    expect((await h.client(call(3, "add", '{"a":1}'))).onward).toBeDefined();
  });

  it("may still exist if the list is longer than the gateway reads", async () => {
    const h = new Harness({ settings: all("strict") });
    let pages = 0;
    h.ask = async () =>
      bytesOf(page([{ ...ADD, name: `t${pages++}` }], { nextCursor: String(pages) }));
    const { back } = await h.client(call(1, "t200", '{"a":1}'));
    expect(parse(back?.[0])).toMatchObject({ result: { isError: true } });
    expect(bytesText(back?.[0])).toContain("limits.tools");
    expect(pages).toBe(100);
    expect((await h.client(call(2, "t99", '{"a":1}'))).onward).toBeDefined();
    const long = "x".repeat(1_025);
    const cut = new Harness({ settings: all("strict") });
    cut.ask = answering(page([ADD, { ...ADD, name: long }]));
    const cutBack = (await cut.client(call(1, long, "{}"))).back?.[0];
    expect(bytesText(cutBack)).toContain("names of up to 1024 characters");
  });
});

describe("the last known list", () => {
  it("is used if a later session or process cannot fetch the list", async () => {
    const store = new MemoryStore();
    const before = new Harness({ settings: all("strict"), store });
    await before.list([ADD]);
    const h = new Harness({ settings: all("strict"), store });
    expect((await h.client(call(1, "add", BAD))).onward).toBeUndefined();
    expect(h.records("tool_call")[0]).toMatchObject({
      outcome: "violation",
      reason: expect.stringContaining("; checked against the last known tool list: nobody answers"),
    });
    const good = h.read(call(2, "add", '{"a":1}'));
    expect((await h.client(good)).onward).toBe(good.bytes);
    expect(bytesText((await h.server(structured(2, '{"sum":"no"}'))).onward)).toContain("/sum");
    expect(h.lines.filter((line) => line.includes("the last known one is used"))).toHaveLength(1);
    // A tool that is missing in the earlier list stays unknown.
    expect(bytesText((await h.client(call(3, "other", "{}"))).back?.[0])).toContain(
      "cannot be checked",
    );
    // The current list replaces the earlier one.
    await h.list([{ ...ADD, inputSchema: { type: "object" } }]);
    expect((await h.client(call(4, "add", BAD))).onward).toBeDefined();
  });

  it("does not excuse a call from a check by the changed list", async () => {
    const h = new Harness({ settings: all("strict") });
    await h.list([ADD]);
    await h.server('{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}');
    h.ask = answering(page([{ ...ADD, inputSchema: { type: "object", maxProperties: 0 } }]));
    expect((await h.client(call(1, "add", '{"a":1}'))).onward).toBeUndefined();
  });
});
