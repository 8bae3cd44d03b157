import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EXAMPLES, START } from "../examples.ts";
import { MAX_FIELD, type QuestionKind, type Questions, type Reply } from "../question.ts";
import { answer } from "./answer.ts";

type Good<Kind extends QuestionKind> = Extract<Reply<Kind>, { readonly ok: true }>;

async function answered<Kind extends QuestionKind>(
  kind: Kind,
  question: Questions[Kind],
): Promise<Good<Kind>> {
  const reply = await answer(kind, question);
  expect(reply).toMatchObject({ ok: true });
  return reply as Good<Kind>;
}

async function refusal(kind: QuestionKind, question: Questions[QuestionKind]): Promise<string> {
  const reply = await answer(kind, question);
  expect(reply.ok).toBe(false);
  return reply.ok ? "" : reply.message;
}

const call = (tools: string, args: string, tool = 0) => answered("call", { tools, args, tool });

describe("a call", () => {
  it("is explained as the gateway explains it to the agent, and repaired", async () => {
    const { check, agentText, repair, names } = await call(START.tools, START.args);
    expect(names).toEqual(["get_forecast"]);
    expect(check.state).toBe("invalid");
    expect(check.findings.map(({ path }) => path)).toEqual(["/citi", "/days", "/unit"]);
    expect(agentText).toContain(
      'The call of "get_forecast" was blocked before it reached the server',
    );
    expect(agentText).toContain('- Rename /citi to "city", which is required: a string.');
    expect(repair?.kinds).toBe("all");
    expect(repair?.steps).toContain("rename-properties at /citi");
    expect(repair?.diff).toContain('+  "city": "Oslo"');
  });

  it("is repaired by the safe kinds if they are enough", async () => {
    const { repair } = await call(START.tools, '{"city":"Oslo","days":"3"}');
    expect(repair).toMatchObject({ kinds: "safe", steps: ["coerce-scalars at /days"] });
  });

  it("passes with every digit of its numbers", async () => {
    const schema = '{"properties":{"n":{"maximum":9007199254740993}}}';
    const valid = await call(schema, '{"n":9007199254740993}');
    expect([valid.check.state, valid.agentText, valid.repair]).toEqual([
      "valid",
      undefined,
      undefined,
    ]);
    expect((await call(schema, '{"n":9007199254740994}')).check.state).toBe("invalid");
    expect((await call(schema, '{"n":1e400}')).check.state).toBe("invalid");
  });

  it("is of the tool that the page shows, whatever index a link holds", async () => {
    const tools = '[{"name":"a","inputSchema":true},{"name":"b","inputSchema":false}]';
    for (const index of [1, 2, 1e308]) {
      expect((await call(tools, "{}", index)).agentText).toContain('The call of "b" was blocked');
    }
  });

  it("is explained with as much of the tool's name as the gateway shows", async () => {
    const name = `${"n".repeat(126)}z`;
    const { names, agentText } = await call(`[{"name":"${name}","inputSchema":false}]`, "{}");
    expect(names).toEqual(["n".repeat(120)]);
    expect(agentText).toContain(name);
  });

  it("is checked by the last schema and the last list, as programs read them", async () => {
    const tool = (name: string, schemas: string): string => `[{"name":"${name}",${schemas}}]`;
    const twice = tool("a", '"inputSchema":true,"inputSchema":false');
    expect((await call(twice, "{}")).check.state).toBe("invalid");
    const lists = `{"tools":${tool("a", '"inputSchema":true')},"tools":${tool("b", '"inputSchema":false')}}`;
    const { names, check } = await call(lists, "{}");
    expect([names, check.state]).toEqual([["b"], "invalid"]);
  });

  it("is noted to be blocked if a key of the arguments occurs twice", async () => {
    const { check, notes } = await call("true", '{"a":1,"a":2}');
    expect(check.state).toBe("valid");
    expect(notes).toEqual([
      "Arguments: A key occurs twice, the first at /a. Readers differ in which value they take. In strict mode the gateway blocks the call.",
    ]);
  });

  it.each<[string, string, string]>([
    ["a schema", '{"type":"object","required":["a"]}', "#0"],
    ["a schema that accepts nothing", "false", "#0"],
    ["a tool", '{"name":"t","inputSchema":{"required":["a"]}}', "t"],
    ["a list", '[{"name":"t","inputSchema":{"required":["a"]}}]', "t"],
    ["a result", '{"tools":[{"name":"t","inputSchema":{"required":["a"]}}]}', "t"],
    ["a response", '{"result":{"tools":[{"name":"t","inputSchema":{"required":["a"]}}]}}', "t"],
  ])("is checked by %s", async (_, tools, name) => {
    const { names, check } = await call(tools, "{}");
    expect([names, check.state]).toEqual([[name], "invalid"]);
  });

  it.each<[string, string, string, RegExp]>([
    ["no tools", "", "{}", /^Tools: paste a tools\/list/],
    ["tools that are not JSON", "{", "{}", /^Tools: not JSON: /],
    ["a number for tools", "1", "{}", /^Tools: paste a tools\/list result, /],
    ["an empty list", "[]", "{}", /^Tools: the list has no tools/],
    ["a configuration", '{"mcpServers":{}}', "{}", /^Tools: this is a configuration of servers/],
    ["a tool without a schema", '[{"name":"t"}]', "{}", /"t" declares no inputSchema/],
    ["too many tools", `[${Array(501).fill("{}").join()}]`, "{}", /501 tools are too many/],
    ["arguments that are a list", "true", "[]", /^Arguments: MCP calls a tool with a JSON object/],
    ["long tools", " ".repeat(MAX_FIELD + 1), "{}", /^Tools: 524289 characters are too many/],
    ["long arguments", "true", " ".repeat(MAX_FIELD + 1), /^Arguments: 524289 characters/],
  ])("is not checked for %s, with a reason", async (_, tools, args, message) => {
    expect(await refusal("call", { tools, args, tool: 0 })).toMatch(message);
  });

  it("says that pages are missing, and that keys occur twice", async () => {
    const tools = '{"tools":[{"name":"t","name":"t","inputSchema":{}}],"nextCursor":"2"}';
    const { notes } = await call(tools, "{}");
    expect(notes).toEqual([
      expect.stringContaining('"nextCursor" names another one'),
      expect.stringContaining("A key occurs twice, the first at /tools/0/name"),
    ]);
  });
});

describe("clients", () => {
  it("are counted, and one's objections are listed before and after adapt", async () => {
    const tools = JSON.stringify([
      { name: "t", inputSchema: { type: "object", anyOf: [{ required: ["a"] }] } },
    ]);
    const found = await answered("clients", { tools, client: "claude-code" });
    expect(found.clients.find(({ client }) => client === "claude-code")).toMatchObject({
      title: "Claude Code",
      errors: 1,
    });
    expect(found.refused.items).toMatchObject([{ tool: "t", rule: "top-level" }]);
    expect(found.lint.items).toEqual(
      expect.arrayContaining([expect.objectContaining({ rule: "tool-description" })]),
    );
    expect(found.adapted.changes.items.length).toBeGreaterThan(0);
    expect(found.adapted.diffs.items).toMatchObject([{ tool: "t" }]);
    expect(found.adapted.left.items).toEqual([]);
  });
});

describe("two lists", () => {
  it("show the calls that the change breaks", async () => {
    const [, , change] = EXAMPLES;
    const { tools = "", next = "" } = change?.state ?? {};
    const { counts, changes } = await answered("compare", { tools, next });
    expect(counts).toEqual({ breaking: 2, text: 1 });
    expect(changes.items).toMatchObject([
      {
        class: "breaking",
        name: "search_notes",
        breaks: { issues: ["/limit must be at most 25"] },
      },
      { class: "text", path: "/description" },
      { class: "breaking", name: "delete_note", rule: "gone" },
    ]);
    expect(JSON.parse(changes.items[0]?.breaks?.text ?? "")).toMatchObject({ limit: 26 });
  });

  it("are compared by whole names, and by the index of tools without one", async () => {
    const long = (end: string): object => ({ name: "n".repeat(130) + end, inputSchema: {} });
    const list = [long("a"), long("b"), { name: "#3" }, { description: "unnamed" }];
    const [tools, next] = [JSON.stringify(list), JSON.stringify(list.slice(1))];
    const { counts, names } = await answered("compare", { tools, next: tools });
    expect([counts, names.length]).toEqual([{}, 4]);
    const { changes } = await answered("compare", { tools, next });
    expect(changes.items.map(({ rule, name }) => [rule, name.slice(-2)])).toEqual([
      ["gone", "nn"],
      ["gone", "#3"],
      ["new", "#2"],
    ]);
  });

  it("have no changes if they are written differently", async () => {
    const next = JSON.stringify(JSON.parse(START.tools));
    expect((await answered("compare", { tools: START.tools, next })).changes.items).toEqual([]);
  });
});

describe("hostile texts", () => {
  const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
  const texts: readonly (readonly [string, string])[] = [
    ["deep", deep],
    ["a deep schema", `${'{"not":'.repeat(50_000)}true${"}".repeat(50_000)}`],
    [
      "a slow pattern",
      '{"properties":{"a":{"pattern":"^(a+)+$"}},"patternProperties":{"(x|x)*y":{}}}',
    ],
    [
      "a lone surrogate",
      '{"name":"\ud800","inputSchema":{"properties":{"\udfff":{"const":"\ud800"}}}}',
    ],
    ["a key twice", '{"tools":[{"name":"a","inputSchema":{},"inputSchema":true}]}'],
    ["numbers beyond doubles", '{"maximum":1e400,"minimum":-1e400,"multipleOf":1e-400}'],
    ["a schema that is itself", '{"$ref":"#"}'],
    ["members of prototypes", '{"__proto__":{"tools":[]},"constructor":1,"toString":{}}'],
  ];
  const args = `{"a":"${"a".repeat(50_000)}b","__proto__":1,"n":1e400}`;

  it.each(texts)("are answered: %s", async (_, text) => {
    for (const [kind, question] of [
      ["call", { tools: text, args, tool: 0 }],
      ["call", { tools: START.tools, args: text, tool: 0 }],
      ["clients", { tools: text, client: "cursor" }],
      ["compare", { tools: text, next: START.tools }],
    ] as const) {
      const reply = await answer(kind, question);
      expect(typeof reply.ok).toBe("boolean");
      expect(JSON.stringify(reply).length).toBeLessThan(500_000);
    }
  });

  it("have no answer that a page could not show", async () => {
    const names = Array.from({ length: 250 }, (_, at) => ({ name: `n${at}`.repeat(100) }));
    const tools = JSON.stringify({ tools: names.map((tool) => ({ ...tool, inputSchema: {} })) });
    const { lint } = await answered("clients", { tools, client: "cursor" });
    expect([lint.items.length, lint.more]).toEqual([200, expect.any(Number)]);
  });
});

describe("the address", () => {
  it("keeps what is entered", async () => {
    const text = fc.string({ unit: "binary", maxLength: 200 });
    await fc.assert(
      fc.asyncProperty(text, text, text, fc.nat(), async (tools, args, next, tool) => {
        const state = { ...START, tools, args, next, tool };
        const { fragment } = await answered("encode", state);
        expect(fragment).toMatch(/^v1\.[\w-]+$/);
        expect((await answered("decode", { fragment })).state).toEqual(state);
      }),
    );
  });

  it("keeps no more than an address may hold", async () => {
    const random = Array.from({ length: 60_000 }, (_, at) => Math.imul(at, 2_654_435_761) >>> 3);
    const state = { ...START, args: random.join() };
    expect(await refusal("encode", state)).toBe("What you entered is too long for a link");
  });

  it.each<[string, () => Promise<string>]>([
    ["nothing", async () => ""],
    ["another version", async () => "v2.abc"],
    ["what is not base64", async () => "v1.%%%"],
    ["what is not compressed", async () => "v1.aGFsbG8"],
    ["too much", async () => `v1.${"A".repeat(40_000)}`],
    ["what unpacks to too much", async () => `v1.${await packed(" ".repeat(20_000_000))}`],
    [
      "what is not UTF-8",
      async () => `v1.${await packed(JSON.stringify({ ...START, args: "?" }), "?")}`,
    ],
    ["what is not JSON", async () => `v1.${await packed("{")}`],
    ["another value", async () => `v1.${await packed("[]")}`],
    ["another view", async () => `v1.${await packed(JSON.stringify({ ...START, view: "x" }))}`],
    [
      "a tool that is none",
      async () => `v1.${await packed(JSON.stringify({ ...START, tool: -1 }))}`,
    ],
  ])("is refused if it holds %s", async (_, fragmentOf) => {
    const message = "The link is damaged or from another version, so it was ignored";
    expect(await refusal("decode", { fragment: await fragmentOf() })).toBe(message);
  });
});

/** Returns a text as an address contains it. @param odd a character that is replaced by a byte that is not UTF-8 */
async function packed(text: string, odd?: string): Promise<string> {
  const bytes = Buffer.from(text).map((byte) => (byte === odd?.charCodeAt(0) ? 0xff : byte));
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  return Buffer.from(await new Response(stream).arrayBuffer()).toString("base64url");
}

describe("the examples", () => {
  it("have the list of the published server as it is installed here", () => {
    const path = "../../../../../node_modules/@modelcontextprotocol/server-filesystem/package.json";
    const { version } = JSON.parse(
      readFileSync(fileURLToPath(new URL(path, import.meta.url)), "utf8"),
    );
    expect(EXAMPLES.map((example) => example.name)).toContain(
      `Published: server-filesystem ${version}`,
    );
  });

  it.each(EXAMPLES)("are answered: $name", async ({ state }) => {
    const whole = { ...START, ...state };
    for (const kind of ["call", "clients", "compare"] as const) await answered(kind, whole);
    expect((await answered("compare", whole)).counts.breaking).toBeGreaterThan(0);
    await answered("encode", whole);
  });
});
