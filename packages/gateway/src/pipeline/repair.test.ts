import { describe, expect, it } from "vitest";
import { DEFAULT_SETTINGS, type Mode, type ValidationSettings } from "../settings/validation.ts";
import { call, Harness, parse } from "./testing/harness.ts";

type Repairs = ValidationSettings["input"]["repair"];

const TOOL = {
  name: "search",
  inputSchema: {
    type: "object",
    properties: {
      query: { type: "string" },
      limit: { type: "integer", default: 10 },
      tags: { type: "array", items: { type: "string" } },
    },
    required: ["query", "limit"],
    additionalProperties: false,
  },
};

function settings(mode: Mode, repair: Repairs, ofTool = false): ValidationSettings {
  const { input, output, protocol } = DEFAULT_SETTINGS;
  const own = ofTool ? { repairOfTool: true } : {};
  return { input: { ...input, mode, repair, ...own }, output, protocol };
}

async function withTool(given: ValidationSettings, tool: object = TOOL): Promise<Harness> {
  const h = new Harness({ settings: given });
  await h.list([tool]);
  return h;
}

const text = (bytes: Uint8Array | undefined): string | undefined =>
  bytes && Buffer.from(bytes).toString();
const frame = (args: string): string =>
  `{"jsonrpc":"2.0", "id":1,"method":"tools/call","params":{"name":"search","arguments":${args},"_meta":{"n":1.00}}}`;

describe("arguments that fail their check", () => {
  it.each(["warn", "strict"] as const)(
    "are repaired in %s, with every other byte unchanged",
    async (mode) => {
      const h = await withTool(settings(mode, ["safe"]));
      const { onward, back } = await h.client(
        frame('{ "query":5,\t"limit":"0010e0x","tags":"[]" }').replace("0010e0x", "3"),
      );
      expect(text(onward)).toBe(frame('{ "query":"5",\t"limit":3,"tags":[] }'));
      expect(back ?? []).toEqual([]);
      expect(h.records("policy_decision")).toMatchObject([
        {
          direction: "input",
          mode,
          decision: "repaired",
          status: "repaired",
          outcome: "violation",
          reason: expect.stringMatching(/^\/query must be a string.*; repaired: /),
          repairs:
            "coerce-scalars at /query; coerce-scalars at /limit; parse-json-strings at /tags",
          issues: [{ path: "/query" }, { path: "/limit" }, { path: "/tags" }],
        },
      ]);
      await h.server({ jsonrpc: "2.0", id: 1, result: { content: [] } });
      expect(h.records("tool_call")).toMatchObject([
        { decision: "repaired", status: "success", repairs: expect.stringContaining(" at /tags") },
      ]);
      expect(h.lines.some((line) => /srv\/search input repaired: .*limit/.test(line))).toBe(true);
    },
  );

  it("are repaired if they are a string of JSON", async () => {
    const h = await withTool(settings("strict", ["parse-json-strings"]));
    const { onward } = await h.client(frame('"{\\"query\\":\\"a\\",\\"limit\\":3}"'));
    expect(text(onward)).toBe(frame('{"query":"a","limit":3}'));
  });

  it.each<[string, Repairs, string]>([
    ["no repair is allowed", [], '{"query":"a","limit":"3"}'],
    ["the repair is not of the allowed kinds", ["drop-nulls"], '{"query":"a","limit":"3"}'],
    ["something is left", ["all"], '{"query":"a","limit":"three"}'],
    ["a key stands twice", ["all"], '{"query":"a","limit":"3","limit":"4"}'],
  ])("are not changed if %s", async (_why, repair, args) => {
    const strict = await withTool(settings("strict", repair));
    const { onward, back } = await strict.client(frame(args));
    expect(onward).toBeUndefined();
    expect(parse(back?.[0])).toMatchObject({ result: { isError: true } });
    const warn = await withTool(settings("warn", repair));
    expect(text((await warn.client(frame(args))).onward)).toBe(frame(args));
    for (const h of [strict, warn]) {
      expect(h.records("policy_decision")[0]).not.toHaveProperty("repairs");
    }
  });

  it("are not repaired if the issues are ignored", async () => {
    const given = settings("strict", ["all"]);
    const input = { ...given.input, rules: { type: "ignore" } as const };
    const h = await withTool({ ...given, input });
    const wrong = frame('{"query":"a","limit":"3"}');
    expect(text((await h.client(wrong)).onward)).toBe(wrong);
    expect(h.records("policy_decision")).toEqual([]);
  });

  it("are not repaired in mode off or if they are valid", async () => {
    const off = await withTool(settings("off", ["all"]));
    const wrong = frame('{"query":"a","limit":"3"}');
    expect(text((await off.client(wrong)).onward)).toBe(wrong);
    const h = await withTool(settings("strict", ["all"]));
    const valid = h.read(frame('{"query":"a","limit":3}'));
    expect((await h.client(valid)).onward).toBe(valid.bytes);
    expect([...off.records("policy_decision"), ...h.records("policy_decision")]).toEqual([]);
  });

  it.each<[string, object, boolean, boolean]>([
    ["a tool", TOOL, false, true],
    ["a destructive tool", { ...TOOL, annotations: { destructiveHint: true } }, false, false],
    ["one for which it is set", { ...TOOL, annotations: { destructiveHint: true } }, true, true],
  ])("get guessed names and defaults: %s", async (_what, tool, ofTool, guesses) => {
    const h = await withTool(settings("strict", ["all"], ofTool), tool);
    const { onward } = await h.client(frame('{"Query":"a"}'));
    expect(text(onward)).toBe(guesses ? frame('{"query":"a","limit":10}') : undefined);
  });

  it("set the headers that the tool declares for them", async () => {
    const mirrored = {
      type: "object",
      properties: { limit: { type: "integer", "x-mcp-header": "Limit" } },
    };
    const h = await withTool(settings("strict", ["all"]), { ...TOOL, inputSchema: mirrored });
    const { onward, repaired } = await h.client(frame('{"limit":"3"}'));
    expect(text(onward)).toBe(frame('{"limit":3}'));
    expect(repaired?.name).toBe("search");
    expect(await h.client(frame('{"limit":3}'))).not.toHaveProperty("repaired");
  });

  it("contain no line break, which a server would take for the end of a message", async () => {
    const h = await withTool(settings("strict", ["safe"]));
    const inner = '[\n{"jsonrpc":"2.0","method":"notifications/cancelled"}\n]';
    const tags = { type: "array" };
    await h.list([{ name: "search", inputSchema: { type: "object", properties: { tags } } }], 9001);
    const { onward } = await h.client(frame(`{"tags":${JSON.stringify(inner)}}`));
    expect(text(onward)).toBe(frame(`{"tags":${inner.replaceAll("\n", " ")}}`));
  });

  it("keep their repairs in the record of a call that a later stage blocks", async () => {
    const given = settings("strict", ["safe"]);
    const output = { ...given.output, mode: "strict" } as const;
    const outputSchema = { type: "object", properties: { n: { type: "integer" } } };
    const h = await withTool({ ...given, output }, { ...TOOL, outputSchema });
    await h.client(frame('{"query":5,"limit":3}'));
    const result = { content: [], structuredContent: { n: "x" } };
    const { onward } = await h.server({ jsonrpc: "2.0", id: 1, result });
    expect(parse(onward)).toMatchObject({ result: { isError: true } });
    const repairs = "coerce-scalars at /query";
    expect(h.records("policy_decision")).toMatchObject([
      { direction: "input", decision: "repaired", repairs },
      { direction: "output", decision: "blocked" },
    ]);
    const [called] = h.records("tool_call");
    expect(called).toMatchObject({ decision: "blocked", status: "blocked", repairs });
  });

  it("leave the status of a call whose result gets a warning to the warning", async () => {
    const outputSchema = { type: "object", properties: { n: { type: "integer" } } };
    const h = await withTool(settings("warn", ["safe"]), { ...TOOL, outputSchema });
    await h.client(frame('{"query":5,"limit":3}'));
    const result = { content: [], structuredContent: { n: "x" } };
    await h.server({ jsonrpc: "2.0", id: 1, result });
    expect(h.records("tool_call")).toMatchObject([
      {
        ...{ decision: "repaired", status: "warning", repairs: "coerce-scalars at /query" },
        checks:
          "input warn violation repaired:coerce-scalars, output warn violation, protocol warn pass",
        reason: expect.stringMatching(/^\/query .*; \/n must be an integer/),
      },
    ]);
  });

  it("keep their repairs in the record of a call that a limit refuses", async () => {
    const slots = { limit: 0, taken: 0 };
    const h = new Harness({ settings: settings("strict", ["safe"]), slots });
    await h.list([TOOL]);
    const { onward, back } = await h.client(frame('{"query":5,"limit":3}'));
    expect(onward).toBeUndefined();
    expect(parse(back?.[0])).toHaveProperty("error");
    const repairs = "coerce-scalars at /query";
    expect(h.records("tool_call")).toMatchObject([{ status: "limited", repairs }]);
  });

  it("are repaired item by item in a batch", async () => {
    const h = new Harness({ settings: settings("strict", ["safe"]), revision: "2025-03-26" });
    await h.list([TOOL]);
    const batch = [
      call(1, "search", '{"query":"a","limit":"3"}'),
      call(2, "search", '{"query":"b","limit":4}'),
    ];
    const { onward } = await h.client(`[${batch.join(",")}]`);
    const sent = JSON.parse(text(onward) ?? "[]") as { params: { arguments: object } }[];
    expect(sent.map(({ params }) => params.arguments)).toEqual([
      { query: "a", limit: 3 },
      { query: "b", limit: 4 },
    ]);
  });
});
