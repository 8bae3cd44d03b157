import { describe, expect, it } from "vitest";
import { shortName } from "../contracts/short-names.ts";
import type { ValidationSettings } from "../settings/validation.ts";
import { all, call, Harness, LEGACY, MODERN, parse, structured } from "./testing/harness.ts";

const NAMES = { max: 64, prefixLength: 16 };
const OWN = `files/${"read_".repeat(12)}`;
const SHORT = shortName(OWN, NAMES);
const TOOL = {
  name: OWN,
  inputSchema: { type: "object", properties: { q: { type: "integer" } }, required: ["q"] },
  outputSchema: { type: "object", properties: { n: { type: "integer" } } },
};
const SCHEMA = { properties: { q: { maximum: 0 } } };
const NARROW = { schema: SCHEMA, written: SCHEMA, secrets: [] };
const settings = (mode: "off" | "warn" | "strict"): ValidationSettings => ({
  ...all(mode),
  adapt: {
    unusableTools: "pass",
    outputSchema: "pass",
    pages: "pass",
    for: [],
    steps: ["same", "narrower", "wider"],
    mirrorContent: false,
    descriptions: { stripHidden: false },
    names: NAMES,
  },
});
const text = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString();

describe("a call by a tool's short name", () => {
  it.each([LEGACY, MODERN])(
    "is forwarded with the tool's own name, every other byte unchanged, in %s",
    async (revision) => {
      const h = new Harness({ settings: settings("strict"), revision });
      await h.list([TOOL, { name: "plain", inputSchema: { type: "object" } }]);
      const sent = call(1, SHORT, '{ "q" : 1 }', ' ,"x":1.0', revision);
      const { onward, renamed } = await h.client(sent);
      expect([text(onward), renamed]).toEqual([
        call(1, OWN, '{ "q" : 1 }', ' ,"x":1.0', revision),
        OWN,
      ]);
      const bad = await h.server(structured(1, '{"n":"x"}', revision));
      expect(text(bad.onward)).toContain("output schema validation failed");
      const own = call(2, OWN, '{"q":1}', "", revision);
      const passed = await h.client(own);
      expect([text(passed.onward), passed.renamed]).toEqual([own, undefined]);
      await h.server(structured(2, '{"n":1}', revision));
      const records = [...h.records("policy_decision"), ...h.records("tool_call")];
      expect(records.map(({ tool }) => tool)).toEqual([OWN, OWN, OWN]);
    },
  );

  it("is blocked like a call by the own name, with that tool's settings", async () => {
    const blocked = async (name: string): Promise<unknown> => {
      const h = new Harness({ settings: settings("warn"), tools: { [OWN]: settings("strict") } });
      await h.list([TOOL]);
      const { onward, back = [] } = await h.client(call(1, name, '{"q":"x"}'));
      expect(onward).toBeUndefined();
      const [record] = h.records("policy_decision");
      expect(record).toMatchObject({ tool: OWN, decision: "blocked", mode: "strict" });
      return parse(back[0]);
    };
    expect(await blocked(SHORT)).toEqual(await blocked(OWN));
  });

  it.each<[string, string, Partial<ValidationSettings>]>([
    ["its schema", "{}", {}],
    ["narrow", '{"q":1}', { policy: { mode: "strict", levels: [], narrow: NARROW } }],
    ["a limit", '{"q":1}', { limits: [{ level: "tool", callsPerMinute: 1 }] }],
  ])("is refused by the name that the client was shown: by %s", async (_, args, more) => {
    const own = { ...settings("strict"), ...more };
    const h = new Harness({ settings: settings("strict"), tools: { [OWN]: own } });
    await h.list([TOOL]);
    // The limit allows one call.
    await h.client(call(0, SHORT, args));
    for (const name of [SHORT, OWN]) {
      const { onward, back = [] } = await h.client(call(1, name, args));
      expect(onward).toBeUndefined();
      expect(text(back[0])).toContain(SHORT);
      expect(text(back[0])).not.toContain(OWN);
    }
  });

  it("is validated by the added tool like a call by the own name", async () => {
    const h = new Harness({
      ...{ settings: settings("strict"), addsValidation: true },
      tools: { [OWN]: { ...settings("strict"), policy: { mode: "strict", levels: [] } } },
    });
    await h.list([TOOL]);
    const { conversation } = h.pipeline;
    Object.assign(conversation, { lacksValidation: true, validationMethod: "validate" });
    const validated = async (tool: string, q: unknown): Promise<unknown> => {
      const args = JSON.stringify({ tool, arguments: { q } });
      const { back = [] } = await h.client(call(1, "validate", args));
      return (parse(back[0]) as { result: { structuredContent: object } }).result.structuredContent;
    };
    expect(await validated(SHORT, 1)).toMatchObject({ valid: true });
    expect(await validated(SHORT, "x")).toEqual(await validated(OWN, "x"));
    expect(await validated("files_read_aaaaaaaaaa", 1)).toMatchObject({
      errors: ["Tool not found: files_read_aaaaaaaaaa"],
    });
  });

  it("is resolved with a tool list that the gateway fetches, in every mode", async () => {
    for (const mode of ["off", "strict"] as const) {
      const h = new Harness({ settings: settings(mode) });
      h.ask = async () =>
        Buffer.from(JSON.stringify({ jsonrpc: "2.0", id: 0, result: { tools: [TOOL] } }));
      const { onward } = await h.client(call(1, SHORT, '{"q":1}'));
      expect(text(onward)).toBe(call(1, OWN, '{"q":1}'));
      expect(h.asked.length).toBe(1);
    }
  });

  it("works in a batch, and for progress, cancellation and tasks", async () => {
    const h = new Harness({ settings: settings("strict"), revision: "2025-03-26" });
    await h.list([TOOL]);
    const other = '{"jsonrpc":"2.0","id":"p","method":"ping"}';
    const made = (name: string): string =>
      `[${call(1, name, '{"q":1}', ',"_meta":{"progressToken":7}')}, ${other}]`;
    const { onward } = await h.client(made(SHORT));
    expect(JSON.parse(text(onward))).toEqual(JSON.parse(made(OWN)));
    const progress =
      '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":1}}';
    expect(text((await h.server(progress)).onward)).toBe(progress);
    const cancel = '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}';
    expect(text((await h.client(cancel)).onward)).toBe(cancel);
    expect(h.records("tool_call")).toMatchObject([{ tool: OWN, reason: "canceled by the client" }]);
  });

  it("stays unchanged if no tool has that name, or names are not adapted", async () => {
    const h = new Harness({ settings: settings("warn") });
    await h.list([TOOL]);
    const unknown = call(1, "files_read_aaaaaaaaaa", "{}");
    expect(text((await h.client(unknown)).onward)).toBe(unknown);
    const off = new Harness({ settings: all("warn") });
    await off.list([TOOL]);
    expect(text((await off.client(call(1, SHORT, "{}"))).onward)).toBe(call(1, SHORT, "{}"));
  });
});

describe("a list of tools", () => {
  const ADAPT = {
    unusableTools: "leave_out",
    outputSchema: "drop_unusable",
    pages: "pass",
    for: ["claude-code"],
    steps: ["same", "narrower", "wider"],
    mirrorContent: false,
    descriptions: { max: 20, stripHidden: true },
    names: NAMES,
  } as const;
  const adapted = (more: Partial<ValidationSettings["adapt"]> = {}): ValidationSettings => ({
    ...all("warn"),
    adapt: { ...ADAPT, ...more },
  });
  const good = '{ "name":"good" ,"description":"Fine.","inputSchema":{"type":"object","x":1.0 }}';
  const hidden =
    '{"name":"hidden","description":"a\\u200bb","inputSchema":{"type":"object"}, "z":[1.0]}';
  const broken = '{"name":"broken","inputSchema":{"type":"array"}}';
  const long = JSON.stringify(TOOL);
  const page = (tools: readonly string[], more = ""): string =>
    `{"jsonrpc":"2.0" ,"id":1,"result":{ "tools": [${tools.join(" , ")}]${more}}}`;
  const list = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';

  async function listed(h: Harness, text: string, request = list): Promise<string> {
    await h.client(request);
    return Buffer.from((await h.server(text)).onward ?? []).toString();
  }

  it("is adapted to its client, all other bytes unchanged, and recorded once", async () => {
    const h = new Harness({ settings: adapted() });
    const sent = page([broken, good, hidden, long], ',"_meta":{"n":1.0}');
    const shown = page(
      [good, hidden.replace("\\u200b", ""), long.replace(OWN, SHORT)],
      ',"_meta":{"n":1.0}',
    );
    expect(await listed(h, sent)).toBe(shown);
    expect(await listed(h, sent)).toBe(shown);
    const [record, ...more] = h.records("list_change");
    expect(more).toEqual([]);
    expect(record?.reason).toBe(
      `in a list of 4 tools, 1 is left out, 2 are changed: broken, hidden, ${OWN}`,
    );
    expect(record?.issues.map(({ path, keyword }) => [path, keyword])).toEqual([
      ["/result/tools/0", "unusable_tools"],
      ["/result/tools/2", "descriptions"],
      ["/result/tools/3", "names"],
    ]);
    const { onward } = await h.client(call(2, SHORT, '{"q":1}'));
    expect(text(onward)).toBe(call(2, OWN, '{"q":1}'));
  });

  it("stays byte for byte the same if adapt is off or nothing needs to change", async () => {
    for (const settings of [all("warn"), adapted()]) {
      const h = new Harness({ settings });
      await h.client(list);
      const frame = h.read(page([good]));
      expect((await h.server(frame)).onward).toBe(frame.bytes);
      expect(h.records("list_change")).toEqual([]);
    }
  });

  it("keeps the duplicate by which calls are checked", async () => {
    const first = '{"name":"t","inputSchema":{"type":"object"}}';
    const last = '{"name":"t","inputSchema":{"type":"object","required":["a"]}}';
    const h = new Harness({ settings: adapted() });
    expect(await listed(h, page([first, good, last, last]))).toBe(page([good, last]));
  });

  it("gives a tool the same short name whatever other pages hold", async () => {
    const settings = adapted({ unusableTools: "pass" });
    const h = new Harness({ settings });
    const taken = JSON.stringify({ ...TOOL, name: SHORT });
    const pages = [page([long], ',"nextCursor":"2"'), page([taken])];
    let asked = 0;
    h.ask = async () => Buffer.from(pages[asked++] ?? "");
    const other = shortName(OWN, NAMES, true);
    expect(await listed(h, pages[0] ?? "")).toBe(
      page([long.replace(OWN, other)], ',"nextCursor":"2"'),
    );
    expect(text((await h.client(call(2, other, '{"q":1}'))).onward)).toContain(OWN);
    expect(text((await h.client(call(3, SHORT, '{"q":1}'))).onward)).toContain(`"${SHORT}"`);
  });

  it.each([
    ["claude-code", false],
    ["zed", true],
    ["gemini-cli-mcp-client", false],
    ["my-agent", false],
  ])(
    "is rewritten for the requesting client, and marked private: %s",
    async (name, isRewritten) => {
      const h = new Harness({
        settings: adapted({ for: ["auto"], names: undefined }),
        revision: MODERN,
      });
      const tool =
        '{"name":"c","description":"d","inputSchema":{"type":"object","properties":{"a":{"const":"x"}}}}';
      const meta = JSON.stringify({
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": { name, version: "1" },
      });
      const request = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":${meta}}}`;
      await h.client(request);
      // Another client sends a request before the list arrives.
      const other = isRewritten ? "claude-code" : "zed";
      await h.client(request.replace('"id":1', '"id":2').replace(`"${name}"`, `"${other}"`));
      const more = ',"resultType":"complete","ttlMs":5,"cacheScope":"public"';
      const { onward } = await h.server(page([tool], more));
      const { tools, cacheScope } = JSON.parse(text(onward)).result;
      expect(cacheScope).toBe("private");
      expect(tools[0].inputSchema.properties.a).toEqual(
        isRewritten ? { enum: ["x"], type: "string" } : { const: "x" },
      );
    },
  );

  describe("with several pages", () => {
    const tool = (name: string): string => `{ "name":"${name}","inputSchema":{"type":"object"} }`;
    const at = (cursor: string): string => `, "nextCursor" : "${cursor}"`;
    const merged = adapted({ pages: "merge", names: undefined, unusableTools: "pass" });

    async function whole(pages: readonly string[], more = ""): Promise<[string, number, Harness]> {
      const h = new Harness({ settings: merged });
      h.ask = async (_, params) => {
        const page = pages[Number(JSON.parse(params).cursor)];
        if (page === undefined) throw new Error("no such page");
        return Buffer.from(page);
      };
      const shown = await listed(h, (pages[0] ?? "") + more);
      return [shown, h.asked.length, h];
    }

    it("is merged into one page, in order, and its tools are known", async () => {
      const pages = [
        page([tool("a")], at("1")),
        page([], at("2")),
        page([tool("b"), tool("c")], `${at("3")},"_meta":{}`),
        page([tool("d")]),
      ];
      const [shown, asked, h] = await whole(pages);
      const four = [tool("a"), `${tool("b")} , ${tool("c")}`, tool("d")].join(",");
      expect([shown, asked]).toEqual([
        `{"jsonrpc":"2.0" ,"id":1,"result":{ "tools": [${four}]}}`,
        3,
      ]);
      expect(h.records("list_change")).toMatchObject([
        { reason: "4 pages of the list are sent as one (adapt.pages)" },
      ]);
      await h.client(call(5, "d", "{}"));
      expect(h.asked.length).toBe(3);
    });

    it("stops at a cursor that repeats", async () => {
      const two = [page([tool("a")], at("1")), page([tool("b")], at("0"))];
      const round = [...two.slice(0, 1), page([tool("b")], at("2")), page([tool("c")], at("1"))];
      const self = [page([tool("a")], at("1")), page([tool("b")], at("1"))];
      expect(JSON.parse((await whole(round))[0]).result.tools).toHaveLength(3);
      expect(JSON.parse((await whole(round))[0]).result.nextCursor).toBeUndefined();
      expect(JSON.parse((await whole(self))[0]).result.tools).toHaveLength(2);
      const begun = JSON.parse((await whole(two))[0]).result;
      expect(begun.tools.map(({ name }: { name: string }) => name)).toEqual(["a", "b"]);
    });

    it("keeps the cursor of a page that could not be fetched", async () => {
      const [shown] = await whole([page([tool("a")], at("1")), page([tool("b")], at("9"))]);
      const { tools, nextCursor } = JSON.parse(shown).result;
      expect([tools.length, nextCursor]).toEqual([2, "9"]);
      const [first] = await whole([page([tool("a")], at("7"))]);
      expect(first).toBe(page([tool("a")], at("7")));
    });

    it("is not merged from a later page on, or if pages are not to be merged", async () => {
      const h = new Harness({ settings: merged });
      const later = list.replace('"tools/list"', '"tools/list","params":{"cursor":"1"}');
      expect(await listed(h, page([tool("b")], at("2")), later)).toBe(page([tool("b")], at("2")));
      expect(h.asked).toEqual([]);
    });
  });
});
