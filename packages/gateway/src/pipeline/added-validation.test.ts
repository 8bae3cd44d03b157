import { type CheckLater, compileDeclared } from "@touchstone/core/advanced";
import { describe, expect, it } from "vitest";
import {
  ADD,
  all,
  call,
  Harness,
  initializeParams,
  LEGACY,
  MODERN,
  modernMeta,
  PLAIN,
  parse,
  request,
  toolList,
} from "./testing/harness.ts";

const MODES = ["off", "warn", "strict"] as const;
const RESERVED = "touchstone_validate_tool_call";
const text = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString();

/** A response to `initialize` with formatting that no serializer would write. */
const introduction = (capabilities: string): string =>
  `{"result" :{ "protocolVersion":"${LEGACY}","capabilities":${capabilities},\t"serverInfo":{"name":"s","version":"1","x":1.0e2}},"id":1,"jsonrpc":"2.0"}`;

async function initialized(h: Harness, capabilities = '{ "tools" : {} }'): Promise<string> {
  await h.client(request(1, "initialize", initializeParams(), LEGACY));
  return text((await h.server(introduction(capabilities))).onward);
}

async function listed(h: Harness, tools: readonly object[], revision = LEGACY): Promise<string[]> {
  await h.client(request(2, "tools/list", {}, revision));
  const { onward } = await h.server({
    jsonrpc: "2.0",
    id: 2,
    result: toolList(tools, revision),
  });
  const { result } = parse(onward) as { result: { tools: { name: string }[] } };
  return result.tools.map(({ name }) => name);
}

/** The method that a response to `initialize` announces; undefined if it announces none. */
const announced = (message: string): unknown =>
  JSON.parse(message).result.capabilities.experimental?.toolValidation?.method;

const adding = (more: object = {}) => new Harness({ addsValidation: true, ...more });

describe("added validation", () => {
  it.each(MODES)("is announced, with no other byte changed: %s", async (mode) => {
    const h = adding({ settings: all(mode) });
    const given = '{ "tools" : {} }';
    const told = await initialized(h, given);
    const member = /"experimental":\{"toolValidation":\{.*?"invalidateOn":\[\]\}\}\},/;
    expect(told.replace(member, "")).toBe(introduction(given));
    // The server's tools are still unknown, so the tool gets a name that no tool of the server can have.
    expect(announced(told)).toBe(RESERVED);
  });

  it("is listed after the server's tools, on the last page", async () => {
    const h = adding();
    await initialized(h);
    await h.client(request(2, "tools/list", {}, LEGACY));
    const first = h.read({
      jsonrpc: "2.0",
      id: 2,
      result: toolList([ADD], LEGACY, { nextCursor: "2" }),
    });
    expect((await h.server(first)).onward).toBe(first.bytes);
    await h.client(request(3, "tools/list", { cursor: "2" }, LEGACY));
    const last =
      '{"jsonrpc":"2.0","id":3,"result":{"tools":[ {"name":"plain" ,"inputSchema":{"type":"object"}} ],"z":1.0}}';
    const { onward } = await h.server(last);
    const { result } = parse(onward) as { result: { tools: { name: string }[] } };
    expect(result.tools.map(({ name }) => name)).toEqual(["plain", RESERVED]);
    expect(
      text(onward).replace(/,\{"name":"touchstone_validate_tool_call".*\}(?=\],"z")/, ""),
    ).toBe(last);
  });

  it.each(MODES)(
    "validates by known schemas in every mode, and records the call: %s",
    async (mode) => {
      const h = adding({ settings: all(mode) });
      await initialized(h);
      await listed(h, [ADD, PLAIN]);
      const ask = (id: number, args: string): Promise<{ back?: readonly Uint8Array[] }> =>
        h.client(call(id, "validate", args));
      const good = await ask(3, '{"tool":"add","arguments":{"a":2.0}}');
      const bad = await ask(4, '{"tool":"add","arguments":{"a":9007199254740993.5}}');
      const lost = await ask(5, '{"tool":"none","arguments":{}}');
      expect([good, bad, lost].map(({ back }) => back?.map(parse))).toMatchObject([
        [{ id: 3, result: { structuredContent: { valid: true } } }],
        [
          {
            id: 4,
            result: {
              structuredContent: {
                valid: false,
                errors: ["/a must be an integer (got a number)"],
              },
            },
          },
        ],
        [{ id: 5, result: { structuredContent: { valid: false } } }],
      ]);
      expect(h.pipeline.pending).toBe(0);
      expect(h.records("tool_call").map(({ tool, status }) => [tool, status])).toEqual([
        ["validate", "success"],
        ["validate", "success"],
        ["validate", "success"],
      ]);
    },
  );

  it("accepts batches, and answers an invalid request with an error result", async () => {
    const h = adding();
    await initialized(h);
    await listed(h, [ADD]);
    const calls = [
      { tool: "add", arguments: { a: 1 } },
      { tool: "add", arguments: {} },
    ];
    const { back } = await h.client(call(3, "validate", JSON.stringify({ calls })));
    expect(parse(back?.[0])).toMatchObject({
      result: { structuredContent: { results: [{ valid: true }, { valid: false }] } },
    });
    const odd = await h.client(call(4, "validate", "{}"));
    expect(parse(odd.back?.[0])).toMatchObject({ result: { isError: true } });
    expect(h.records("tool_call").map(({ status }) => status)).toEqual(["success", "error"]);
  });

  it("does not examine arguments over max_bytes", async () => {
    const h = adding({ settings: all("warn", { maxBytes: 100 }) });
    await initialized(h);
    await listed(h, [ADD]);
    const long = JSON.stringify({ tool: "add", arguments: { a: "x".repeat(100) } });
    const { back } = await h.client(call(3, "validate", long));
    expect(text(back?.[0])).toContain("more than input_validation.max_bytes (100)");
  });

  it("runs a long check on a thread, and forwards no call", async () => {
    const jobs: string[] = [];
    const client = (name: string): CheckLater => {
      return async ({ schema, input }) => {
        jobs.push(`${name}: ${input.length}`);
        return compileDeclared({ text: Buffer.from(schema) }).validateText(input);
      };
    };
    const h = adding({ later: client });
    await initialized(h);
    await listed(h, [ADD]);
    const args = JSON.stringify({ a: "x".repeat(300_000) });
    const { onward, back } = await h.client(
      call(3, "validate", `{"tool":"add","arguments":${args}}`),
    );
    expect(onward).toBeUndefined();
    expect(parse(back?.[0])).toMatchObject({ result: { structuredContent: { valid: false } } });
    expect(jobs).toEqual([`srv: ${args.length}`]);
  });

  it("fetches the list for an early call, and reports if it cannot", async () => {
    const h = adding({ settings: all("off") });
    await initialized(h);
    h.ask = async () =>
      Buffer.from(JSON.stringify({ jsonrpc: "2.0", id: 0, result: toolList([ADD]) }));
    const { back } = await h.client(call(3, "validate", '{"tool":"add","arguments":{"a":1}}'));
    expect(parse(back?.[0])).toMatchObject({ result: { structuredContent: { valid: true } } });
    expect(h.asked.map(({ method }) => method)).toEqual(["tools/list"]);
    const lost = adding();
    await initialized(lost);
    const answer = await lost.client(call(3, "validate", '{"tool":"add","arguments":{"a":1}}'));
    expect(text(answer.back?.[0])).toContain("tool list could not be fetched");
  });

  it("never forwards its call to the server, even without an id", async () => {
    const h = adding();
    await initialized(h);
    await listed(h, [ADD]);
    const params = { name: "validate", arguments: { tool: "add", arguments: {} } };
    const passage = await h.client({ jsonrpc: "2.0", method: "tools/call", params });
    expect(passage).toEqual({});
  });

  it("runs no server tool of its name before the tools are known", async () => {
    const h = adding();
    const told = await initialized(h);
    const ask = async (id: number): Promise<unknown> => {
      const args = '{"tool":"add","arguments":{"a":1}}';
      const { onward, back } = await h.client(call(id, String(announced(told)), args));
      expect(onward).toBeUndefined();
      return parse(back?.[0]);
    };
    const tools = [ADD, { ...PLAIN, name: "validate" }, { ...PLAIN, name: RESERVED }];
    h.ask = async () =>
      Buffer.from(JSON.stringify({ jsonrpc: "2.0", id: 0, result: toolList(tools) }));
    expect(await ask(3)).toMatchObject({ result: { structuredContent: { valid: true } } });
    expect(await listed(h, tools)).toEqual(["add", "validate", RESERVED]);
    expect(await ask(4)).toMatchObject({ result: { structuredContent: { valid: true } } });
  });

  it("takes another name if the server uses the first, and none if both are taken", async () => {
    const named = (name: string): object => ({ ...PLAIN, name });
    const h = adding();
    await initialized(h);
    expect(await listed(h, [ADD, named("validate")])).toEqual(["add", "validate", RESERVED]);
    delete h.pipeline.conversation.validationMethod;
    const own = h.read(call(3, "validate", '{"x":1}'));
    expect((await h.client(own)).onward).toBe(own.bytes);
    const { back } = await h.client(
      call(4, "validate_tool_call", '{"tool":"validate","arguments":{}}'),
    );
    expect(parse(back?.[0])).toMatchObject({ result: { structuredContent: { valid: true } } });
    // The server's tools are known now, so the next session gets the short name.
    expect(announced(await initialized(h))).toBe("validate_tool_call");
    const full = adding();
    await initialized(full);
    const both = [named("validate"), named("validate_tool_call")];
    expect(await listed(full, both)).toEqual(["validate", "validate_tool_call", RESERVED]);
    delete full.pipeline.conversation.validationMethod;
    for (const _ of [1, 2]) expect(announced(await initialized(full))).toBeUndefined();
    expect(full.lines.filter((line) => line.includes("is not added"))).toHaveLength(1);
  });

  it.each([
    [
      "a server that announces it itself",
      '{"tools":{},"experimental":{"toolValidation":{"supported":true,"method":"check"}}}',
    ],
    ["a server without tools", '{"prompts":{}}'],
  ])("leaves every message of %s unchanged", async (_, capabilities) => {
    const h = adding();
    expect(await initialized(h, capabilities)).toBe(introduction(capabilities));
    expect(await listed(h, [ADD])).toEqual(["add"]);
    const frame = h.read(call(3, "validate", '{"tool":"add","arguments":{}}'));
    expect((await h.client(frame)).onward).toBe(frame.bytes);
  });

  it("is absent if it is not configured", async () => {
    const h = new Harness();
    expect(await initialized(h)).toBe(introduction('{ "tools" : {} }'));
    expect(await listed(h, [ADD])).toEqual(["add"]);
  });

  it("leaves an error response unchanged", async () => {
    const h = adding();
    await h.client(request(1, "initialize", initializeParams(), LEGACY));
    const refused = h.read('{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"no"}}');
    expect((await h.server(refused)).onward).toBe(refused.bytes);
  });
});

describe("under 2026-07-28", () => {
  const discovery = (capabilities: object): object => ({
    resultType: "complete",
    supportedVersions: [MODERN],
    capabilities,
    serverInfo: { name: "s", version: "1" },
    ttlMs: 1,
    cacheScope: "public",
  });
  const answering = (h: Harness, capabilities: object, tools: readonly object[]): void => {
    h.ask = async (method) => {
      const result = method === "tools/list" ? toolList(tools, MODERN) : discovery(capabilities);
      return Buffer.from(JSON.stringify({ jsonrpc: "2.0", id: 0, result }));
    };
  };

  it("is announced under a free name, and answers with a resultType", async () => {
    const h = adding({ revision: MODERN });
    answering(h, { tools: {} }, [ADD, { ...PLAIN, name: "validate" }]);
    await h.client(request(1, "server/discover", {}, MODERN));
    const { onward } = await h.server({ jsonrpc: "2.0", id: 1, result: discovery({ tools: {} }) });
    expect(announced(text(onward))).toBe("validate_tool_call");
    const args = '{"tool":"add","arguments":{"a":1}}';
    const { back } = await h.client(call(2, "validate_tool_call", args, "", MODERN));
    expect(parse(back?.[0])).toMatchObject({
      result: { resultType: "complete", structuredContent: { valid: true } },
    });
  });

  it("discovers the server's capabilities on an early list or call", async () => {
    for (const lacks of [true, false]) {
      const h = adding({ revision: MODERN });
      const own = { experimental: { toolValidation: { supported: true } } };
      answering(h, { tools: {}, ...(lacks ? {} : own) }, [ADD]);
      expect(await listed(h, [ADD], MODERN)).toEqual(lacks ? ["add", "validate"] : ["add"]);
      const late = adding({ revision: MODERN });
      answering(late, { tools: {}, ...(lacks ? {} : own) }, [ADD]);
      const passage = await late.client(
        call(2, "validate", '{"tool":"add","arguments":{}}', "", MODERN),
      );
      expect(passage.onward === undefined).toBe(lacks);
      expect(late.asked[0]?.params).toContain(Object.keys(modernMeta())[0]);
      await late.client(call(3, "validate", '{"tool":"add","arguments":{}}', "", MODERN));
      const asked = late.asked.map(({ method }) => method);
      expect(asked.filter((method) => method === "server/discover")).toHaveLength(1);
    }
  });
});
