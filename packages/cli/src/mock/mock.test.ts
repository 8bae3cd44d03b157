import { execFileSync } from "node:child_process";
import { appendFileSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type LockedServer, lockedDefinition, writeLock } from "@touchstone/protocol/lock";
import { describe, expect, it } from "vitest";
import { long } from "../../../core/src/testing/sample.ts";
import { connectSdk, describeSdks, type Sdk, type SdkResult } from "../testing/sdk-clients.ts";
import {
  EVERYTHING_SERVER,
  FILESYSTEM_SERVER,
  outcomeOf,
  RECORDER,
  TOUCHSTONE,
  tempDir,
  touchstone,
} from "../testing/touchstone.ts";

const DUAL_ERA_SERVER = fileURLToPath(new URL("../testing/dual-era-server.mjs", import.meta.url));
const node = process.execPath;
type Call = readonly [tool: string, args: Record<string, unknown>];

interface Talk {
  readonly results: readonly SdkResult[];
  readonly tools: readonly string[];
  /** The lines that the client received: responses by id, and progress in order. */
  readonly responses: ReadonlyMap<string, string>;
  readonly progress: readonly string[];
}

/** Lists and calls tools of a command with an official client, and keeps every line that the client receives. */
async function talk(sdk: Sdk, command: readonly string[], calls: readonly Call[]): Promise<Talk> {
  const file = join(tempDir(), "out");
  const client = await connectSdk(sdk, {
    command: node,
    args: [RECORDER, "--out", file, "--", node, TOUCHSTONE, ...command],
    env: { PATH: process.env["PATH"] ?? "", TOUCHSTONE_DATA_DIR: tempDir() },
  });
  const tools = await client.tools();
  const results: SdkResult[] = [];
  for (const [tool, args] of calls) results.push(await client.call(tool, args));
  await client.close();
  const lines = readFileSync(file, "utf8").split("\n").filter(Boolean);
  const responses = new Map<string, string>();
  for (const line of lines) {
    const { id, method } = JSON.parse(line);
    if (id !== undefined && method === undefined) responses.set(JSON.stringify(id), line);
  }
  const progress = lines.filter((line) => line.includes('"notifications/progress"'));
  return { results, tools, responses, progress };
}

/** Captures a conversation with a server. Returns the file, and the conversation. */
async function captured(sdk: Sdk, server: readonly string[], calls: readonly Call[]) {
  const file = join(tempDir(), "session.jsonl");
  const found = await talk(sdk, ["wrap", "--capture", file, "--", node, ...server], calls);
  return { ...found, file };
}

const contentOf = ({ results }: Talk) =>
  results.map(({ result, refused }) => {
    const { content, structuredContent } = (result ?? {}) as Record<string, unknown>;
    return { content, structuredContent, refused };
  });

const EVERYTHING: readonly Call[] = [
  ["echo", { message: "é \u2028 \u{1f600}" }],
  ["get-annotated-message", { messageType: "error", includeImage: true }],
  ["get-resource-links", { count: 2 }],
  ["get-resource-reference", { resourceType: "Blob", resourceId: 2 }],
  ["get-structured-content", { location: "Chicago" }],
  ["get-sum", { a: 0.1, b: 2 }],
  ["get-sum", { a: "x", b: 2 }],
  ["get-tiny-image", {}],
  ["trigger-long-running-operation", { duration: 0.02, steps: 2 }],
  ["trigger-sampling-request", { prompt: "hello" }],
  ["no-such-tool", {}],
];

describeSdks("v1", (sdk) => {
  it("gets from the mock the bytes that it got from server-everything", async () => {
    const recorded = await captured(sdk, [EVERYTHING_SERVER], EVERYTHING);
    const mocked = await talk(sdk, ["mock", recorded.file], EVERYTHING);
    expect(recorded.responses.size).toBeGreaterThan(EVERYTHING.length);
    expect(mocked.responses).toEqual(recorded.responses);
    expect(mocked.progress).toEqual(recorded.progress);
    expect(mocked.results).toEqual(recorded.results);
  });

  it("gets from the mock the bytes that it got from server-filesystem", long, async () => {
    const folder = tempDir();
    const path = join(folder, "a.txt");
    writeFileSync(path, "one\ntwo é\n");
    const calls: readonly Call[] = [
      ["read_text_file", { path, head: 1 }],
      ["write_file", { path, content: "three" }],
      ["read_text_file", { path, head: 1 }],
      ["list_directory", { path: folder }],
      ["directory_tree", { path: folder }],
      ["read_text_file", { path: join(folder, "none") }],
    ];
    const recorded = await captured(sdk, [FILESYSTEM_SERVER, folder], calls);
    const mocked = await talk(sdk, ["mock", recorded.file], calls);
    expect(mocked.responses).toEqual(recorded.responses);
    expect(JSON.stringify(mocked.results[0])).not.toBe(JSON.stringify(mocked.results[2]));
  });

  it("gets from the mock the bytes that it got from a server of both eras", long, async () => {
    const recorded = await captured(sdk, [DUAL_ERA_SERVER], DUAL_ERA);
    const mocked = await talk(sdk, ["mock", recorded.file], DUAL_ERA);
    // In the capture, secrets are removed.
    const withoutSecrets = [...recorded.responses].map(([id, line]) => [
      id,
      line.replaceAll("0badc0de", "[redacted]"),
    ]);
    expect([...mocked.responses]).toEqual(withoutSecrets);
    expect(mocked.progress).toEqual(recorded.progress);
    expect(mocked.progress).toHaveLength(3);
  });
});

const DUAL_ERA: readonly Call[] = [
  ["next", {}],
  ["next", {}],
  ["steps", {}],
  ["login", { user: "ann", password: "hunter2" }],
];

describe("touchstone mock", () => {
  it.each([
    ["v1", "v2 auto"],
    ["v2 auto", "v1"],
  ] as const)("serves what %s recorded to %s, whose era is another", long, async (one, other) => {
    const recorded = await captured(one, [DUAL_ERA_SERVER], DUAL_ERA);
    const mocked = await talk(other, ["mock", recorded.file], DUAL_ERA);
    expect(mocked.tools).toEqual(recorded.tools);
    expect(contentOf(mocked)).toEqual(contentOf(recorded));
    expect(mocked.progress).toHaveLength(3);
  });

  it("accepts any value for a removed secret, repeats responses in turn, then the last", async () => {
    const { file } = await captured("v2 legacy", [DUAL_ERA_SERVER], DUAL_ERA);
    const mocked = await talk(
      "v2 legacy",
      ["mock", file],
      [
        ["login", { password: "another", user: "ann" }],
        ["next", {}],
        ["next", {}],
        ["next", {}],
      ],
    );
    const texts = mocked.results.map(
      ({ result }) => (result?.content[0] as { text: string } | undefined)?.text,
    );
    expect(texts).toEqual(["welcome, ann", "call 1", "call 2", "call 2"]);
  });
});

const about = { time: "2026-01-01T00:00:00.000Z", server: "s", connection: "c" };
const line = (from: string, message: object, more: object = {}): string => {
  const to = from === "client" ? "server" : "client";
  return JSON.stringify({ ...about, from, to, text: JSON.stringify(message), ...more });
};
const call = (id: number, args: object, name = "t"): object => ({
  ...{ jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: args } },
});
const answer = (id: number, result: object): object => ({ jsonrpc: "2.0", id, result });
const TOOL = {
  name: "t",
  inputSchema: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
  outputSchema: {
    type: "object",
    properties: { even: { type: "boolean" }, half: { type: "integer", minimum: 3 } },
    required: ["even", "half"],
  },
};
const SESSION = [
  line("client", { jsonrpc: "2.0", id: 1, method: "tools/list" }),
  line("server", answer(1, { tools: [TOOL] })),
  line("client", call(2, { n: 4 })),
  line("server", answer(2, { content: [], structuredContent: { even: true, half: 3 } })),
];

function capture(lines: readonly string[]): string {
  const file = join(tempDir(), "c.jsonl");
  writeFileSync(file, `${lines.join("\n")}\n`);
  return file;
}

/** Sends messages to a mock in this process, and returns its responses by id. */
async function ask(args: readonly string[], messages: readonly (object | string)[]) {
  const stdin = messages.map((each) => (typeof each === "string" ? each : JSON.stringify(each)));
  const { out, err, code } = await outcomeOf(["mock", ...args], { stdin: `${stdin.join("\n")}\n` });
  const responses = out
    .split("\n")
    .filter(Boolean)
    .map((text) => JSON.parse(text));
  return { code, err, of: (id: unknown) => responses.find((each) => each.id === id), responses };
}

describe("touchstone mock with a call that is not recorded", () => {
  it("returns the gateway's text if the arguments are invalid", async () => {
    const { of, code } = await ask([capture(SESSION)], [call(7, { n: "4" }), call(8, {}, "u")]);
    expect(code).toBe(0);
    expect(of(8).error).toMatchObject({ code: -32602, message: "Unknown tool: u" });
    const text = of(7).result.content[0].text;
    expect(of(7).result.isError).toBe(true);
    expect(text).toMatch(
      /^The call of "t" was blocked before it reached the server: .*\n- Change \/n/,
    );
  });

  it("returns the very response that the gateway returned", async () => {
    const calls: readonly Call[] = [["get-sum", { a: "x", b: [2] }]];
    const file = join(tempDir(), "session.jsonl");
    const wrap = ["wrap", "--mode", "strict", "--capture", file, "--", node, EVERYTHING_SERVER];
    const blocked = await talk("v1", wrap, calls);
    expect(blocked.results[0]?.result?.isError).toBe(true);
    expect((await talk("v1", ["mock", file], calls)).results).toEqual(blocked.results);
  });

  it("generates a result that the output schema accepts, the same for a seed", async () => {
    const file = capture(SESSION);
    const generated = async (...options: string[]) =>
      (await ask([...options, file], [call(7, { n: 5 }), call(8, { n: 6 })])).responses;
    const first = await generated();
    for (const { result } of first) {
      const { even, half } = result.structuredContent;
      expect([typeof even, Number.isInteger(half), half >= 3]).toEqual(["boolean", true, true]);
      expect(JSON.parse(result.content[0].text)).toEqual(result.structuredContent);
    }
    expect(await generated()).toEqual(first);
    const seeds = ["1", "2", "3", "4"].map((seed) => generated("--seed", seed));
    const texts = new Set((await Promise.all(seeds)).map((each) => JSON.stringify(each)));
    expect(texts.size).toBeGreaterThan(1);
  });

  it("shows with --strict how the nearest recorded call differs", async () => {
    const { of } = await ask(["--strict", capture(SESSION)], [call(7, { n: 5, m: [] })]);
    expect(of(7).error.message).toBe(
      'this tools/call of "t" is not recorded. The nearest recorded one differs: /arguments/n: 5 instead of 4; /arguments/m: [] instead of nothing',
    );
  });

  it("reports an output schema for which no value is found", async () => {
    const tool = { ...TOOL, outputSchema: { type: "object", required: ["a"], maxProperties: 0 } };
    const lines = [SESSION[0] ?? "", line("server", answer(1, { tools: [tool] }))];
    const { of } = await ask([capture(lines)], [call(7, { n: 1 })]);
    expect(of(7).error.message).toMatch(/no result could be generated for "t": a bounded search/);
  });
});

describe("touchstone mock with a strange client", () => {
  it("answers what is not a request with an error, and other requests as they are", async () => {
    const { responses } = await ask(
      [capture(SESSION)],
      [
        "{",
        "[]",
        '{"jsonrpc":"2.0"}',
        '{"id":{},"method":"x"}',
        '{"id":3,"method":"x/y"}',
        "\u0000",
      ],
    );
    // A request waits until the capture has been read. Other messages need nothing of it.
    expect(responses.map(({ error }) => error.code).toSorted((one, two) => one - two)).toEqual([
      -32700, -32700, -32601, -32600, -32600,
    ]);
  });

  it("keeps the digits of ids, and generates what a client begins with", async () => {
    const stdin = [
      '{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}',
      '{"jsonrpc":"2.0","id":"a","method":"initialize","params":{"protocolVersion":"2025-06-18"}}',
      '{"jsonrpc":"2.0","id":"b","method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}',
      '{"jsonrpc":"2.0","id":"c","method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2099-01-01"}}}',
    ].join("\n");
    const { out } = await outcomeOf(["mock", capture(SESSION)], { stdin: `${stdin}\n` });
    expect(out).toContain('"id":9007199254740993,');
    expect(out).toMatch(
      /"id":"a","result":\{"protocolVersion":"2025-06-18","capabilities":\{"tools"/,
    );
    expect(out).toMatch(
      /"id":"b","result":\{"resultType":"complete",.*"supportedVersions":\["2026-07-28"/,
    );
    expect(out).toMatch(/"id":"c","error":\{"code":-32022,.*"supported":\["2026-07-28"\]/);
  });

  it("ends when its client leaves, and when it is stopped", async () => {
    const run = touchstone(["mock", capture(SESSION)]);
    run.child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
    await run.seen("stdout", /"id":1/);
    run.child.kill("SIGTERM");
    expect(await run.ended).toBe(0);
  });
});

describe("touchstone mock --faults", () => {
  /** The lines that a client receives for three calls of a tool. */
  const lines = async (faults: string) => {
    const stdin = [7, 8, 9].map((id) => JSON.stringify(call(id, { n: 4 }))).join("\n");
    const { out, err } = await outcomeOf(["mock", "--faults", faults, capture(SESSION)], { stdin });
    return { out: out.split("\n").filter(Boolean), made: err.match(/a fault was made .*/g) ?? [] };
  };
  const VALID = { even: true, half: 3 };

  it.each<[string, (result: { structuredContent?: Record<string, unknown> }) => void]>([
    ["type", ({ structuredContent }) => expect(structuredContent).not.toEqual(VALID)],
    [
      "missing",
      ({ structuredContent = VALID }) =>
        expect(Object.keys(structuredContent).length).toBeLessThan(2),
    ],
    ["extra", ({ structuredContent }) => expect(structuredContent).toHaveProperty("unexpected")],
    ["oversize", (result) => expect(JSON.stringify(result).length).toBeGreaterThan(5_242_880)],
  ])("%s changes results, and the log names each", async (kind, check) => {
    const { out, made } = await lines(kind);
    for (const text of out) check(JSON.parse(text).result);
    expect([out.length, made.length]).toEqual([3, 3]);
    expect(made[0]).toMatch(new RegExp(`^a fault was made fault=${kind} tool=t path=/\\S* id=7$`));
  });

  it("duplicate-key, error and not-json change lines", async () => {
    const twice = await lines("duplicate-key");
    expect(twice.out[0]).toMatch(/"structuredContent":\{"even":null,"even":true/);
    const errors = await lines("error");
    expect(errors.out.map((text) => JSON.parse(text).error.code)).toEqual([-32603, -32603, -32603]);
    const halves = await lines("not-json");
    expect(halves.out).toHaveLength(3);
    for (const text of halves.out) expect(() => JSON.parse(text)).toThrow(SyntaxError);
  });

  it("disconnect ends the process after half a line", async () => {
    const run = touchstone(["mock", "--faults", "disconnect", capture(SESSION)]);
    run.child.stdin.write(`${JSON.stringify(call(7, { n: 4 }))}\n`);
    expect(await run.ended).toBe(0);
    expect(() => JSON.parse(run.stdout())).toThrow(SyntaxError);
  });

  it("slow delays a response, and no other", async () => {
    const stdin = [call(7, { n: 4 }), { jsonrpc: "2.0", id: 8, method: "ping" }];
    const { responses, err } = await ask(["--faults", "slow:50ms", capture(SESSION)], stdin);
    expect(responses.map(({ id }) => id)).toEqual([8, 7]);
    expect(err).toContain("fault=slow");
  });

  it("does not wait for a delayed response at a signal", async () => {
    const calls = join(tempDir(), "calls.jsonl");
    const run = touchstone(["mock", "--calls", calls, "--faults", "slow:600s", capture(SESSION)]);
    run.child.stdin.write(`${JSON.stringify(call(7, { n: 4 }))}\n`);
    await run.seen("stderr", /fault=slow/);
    run.child.kill("SIGTERM");
    expect(await run.ended).toBe(0);
  });

  it("drift changes the list after a number of calls, and says so", async () => {
    const list = (id: number) => ({ jsonrpc: "2.0", id, method: "tools/list" });
    const { responses } = await ask(
      ["--faults", "drift:2", capture(SESSION)],
      [...[list(1), call(2, { n: 4 }), list(3), call(4, { n: 4 }), list(5)]],
    );
    expect(responses.map(({ id, method }) => id ?? method)).toEqual([
      ...[1, 2, 3, 4, "notifications/tools/list_changed", 5],
    ]);
    const schemas = [0, 2, 5].map((at) => responses[at].result.tools[0].inputSchema.required);
    expect(schemas).toEqual([["n"], ["n"], ["n", "added_by_drift"]]);
  });

  it("--calls notes each tool call with its faults", async () => {
    const calls = join(tempDir(), "calls.jsonl");
    const args = ["--calls", calls, "--seed", "1", "--faults", "error:0.5", capture(SESSION)];
    const pretty =
      '{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"u","arguments":\r{"n":1.0}}}';
    await ask(args, [call(7, { n: 4 }), call(8, { n: "x" }), pretty]);
    const lines = readFileSync(calls, "utf8").split("\n").filter(Boolean);
    const noted = lines.map((text) => JSON.parse(text));
    // A call that is not recorded is checked first, so others may come before it.
    expect(noted.map(({ faults: _, ...rest }) => rest).toSorted(byText)).toEqual([
      { tool: "t", arguments: { n: "x" }, recorded: false },
      { tool: "u", arguments: { n: 1 }, recorded: false },
      { tool: "t", arguments: { n: 4 }, recorded: true },
    ]);
    expect(lines.join()).toContain('"n":1.0');
    expect(
      noted.flatMap(({ faults }) => faults.map(({ kind }: { kind: string }) => kind)),
    ).toContain("error");
    const refused = await outcomeOf(["mock", "--calls", join(calls, "x"), capture(SESSION)]);
    expect([refused.code, refused.err]).toEqual([3, expect.stringMatching(/calls\.jsonl\/x/)]);
  });

  it("refuses other kinds, and logs as JSON", async () => {
    const refused = await outcomeOf(["mock", "--faults", "typo", capture(SESSION)]);
    expect([refused.code, refused.err]).toEqual([
      2,
      expect.stringMatching(/^touchstone: --faults: "typo" is not one of type, missing, extra/),
    ]);
    const stdin = `${JSON.stringify(call(7, { n: 4 }))}\n`;
    const args = ["mock", "--log-format", "json", "--faults", "type", capture(SESSION)];
    const { err } = await outcomeOf(args, { stdin });
    const made = err
      .split("\n")
      .filter(Boolean)
      .map((text) => JSON.parse(text))
      .at(-1);
    expect(made.touchstone).toMatchObject({ fault: "type", tool: "t", id: "7" });
  });
});

const byText = (one: object, other: object): number =>
  JSON.stringify(one) < JSON.stringify(other) ? -1 : 1;

/** Serves over HTTP. Returns the URL. */
async function listening(...args: readonly string[]): Promise<URL> {
  const run = touchstone(["mock", "--listen", "127.0.0.1:0", ...args]);
  const [, url = ""] = (await run.seen("stderr", /listening at (\S+)\n/)) ?? [];
  return new URL(url);
}
const post = (url: URL, message: object, headers: Record<string, string> = {}) =>
  fetch(url, {
    method: "POST",
    body: JSON.stringify(message),
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...headers,
    },
  });

describe("touchstone mock --listen", () => {
  describeSdks("v2 auto", (sdk) => {
    it("serves the recorded results over HTTP", async () => {
      const calls: readonly Call[] = [...DUAL_ERA, ["no-such-tool", {}]];
      const recorded = await captured(sdk, [DUAL_ERA_SERVER], calls);
      const client = await connectSdk(sdk, await listening(recorded.file));
      expect(await client.tools()).toEqual(recorded.tools);
      const results: SdkResult[] = [];
      for (const [tool, args] of calls) results.push(await client.call(tool, args));
      const withoutSecrets = JSON.stringify(recorded.results).replaceAll("0badc0de", "[redacted]");
      expect(results).toEqual(JSON.parse(withoutSecrets));
    });
  });

  it("has the limits and rules of the gateway, and ends at a signal", async () => {
    const run = touchstone(["mock", "--listen", "127.0.0.1:0", capture(SESSION)]);
    const [, text = ""] = (await run.seen("stderr", /listening at (\S+)\n/)) ?? [];
    const url = new URL(text);
    expect(url.pathname).toBe("/mcp/s");
    const result = await post(url, call(7, { n: 4 }));
    expect(await result.text()).toBe(
      '{"jsonrpc":"2.0","id":7,"result":{"content":[],"structuredContent":{"even":true,"half":3}}}',
    );
    const foreign = await post(url, call(7, { n: 4 }), { origin: "https://example.com" });
    expect(foreign.status).toBe(403);
    expect((await fetch(new URL("/mcp/t", url))).status).toBe(404);
    expect((await fetch(url, { method: "DELETE" })).status).toBe(405);
    expect((await post(url, { jsonrpc: "2.0", method: "notifications/initialized" })).status).toBe(
      202,
    );
    const modern = await post(
      url,
      { jsonrpc: "2.0", id: 1, method: "ping", params: MODERN },
      { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/list" },
    );
    expect([modern.status, await modern.json()]).toMatchObject([400, { error: { code: -32020 } }]);
    run.child.kill("SIGTERM");
    expect(await run.ended).toBe(0);
  });

  it("refuses addresses that other machines reach", async () => {
    const file = capture(SESSION);
    const open = await outcomeOf(["mock", "--listen", "0.0.0.0:0", file]);
    expect([open.code, open.err]).toEqual([
      2,
      expect.stringMatching(/a mock has no keys, so it listens at 127\.0\.0\.1/),
    ]);
    const none = await outcomeOf(["mock", "--listen", "7777", file]);
    expect([none.code, none.err]).toEqual([
      2,
      expect.stringMatching(/--listen: must be HOST:PORT/),
    ]);
  });

  it("makes faults", async () => {
    const file = capture(SESSION);
    const half = await listening("--faults", "not-json", file);
    const text = await (await post(half, call(7, { n: 4 }))).text();
    expect(() => JSON.parse(text)).toThrow(SyntaxError);
    const cut = await listening("--faults", "disconnect", file);
    const sent = await post(cut, call(7, { n: 4 }));
    await expect(sent.text()).rejects.toThrow(TypeError);
  });

  it.each([
    ["an earlier revision", (url: URL) => fetch(url), (list: string) => list],
    [
      "MCP 2026-07-28",
      (url: URL) => post(url, LISTENING, MODERN_HEADERS),
      (list: string) =>
        list.replace('"}', '","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"a"}}}'),
    ],
  ])("sends clients of %s the change of the list", async (_, subscribe, expected) => {
    const url = await listening("--faults", "drift:1", capture(SESSION));
    const stream = (await subscribe(url)).body?.pipeThrough(new TextDecoderStream());
    await post(url, call(7, { n: 4 }));
    let seen = "";
    for await (const part of stream ?? []) {
      seen += part;
      if (seen.includes("list_changed")) break;
    }
    expect(seen).toContain(
      expected('{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}'),
    );
  });
});
const MODERN = {
  _meta: {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  },
};
const LISTENING = {
  ...{ jsonrpc: "2.0", id: "a", method: "subscriptions/listen" },
  params: { ...MODERN, notifications: { toolsListChanged: true } },
};
const MODERN_HEADERS = {
  "mcp-protocol-version": "2026-07-28",
  "mcp-method": "subscriptions/listen",
};

describe("touchstone mock of a capture without its secrets", () => {
  it("fills them so that official clients accept results, and names them", async () => {
    const calls: readonly Call[] = [["weather", { city: "Rome" }]];
    const recorded = await captured("v2 auto", [DUAL_ERA_SERVER], calls);
    expect(readFileSync(recorded.file, "utf8")).not.toContain("0badc0de");
    const mocked = await talk("v2 auto", ["mock", recorded.file], calls);
    expect(mocked.results[0]).toMatchObject({ result: { structuredContent: { degrees: 4 } } });
    const { err } = await ask([recorded.file], []);
    expect(err).toMatch(/secrets were removed from 1 recorded response\n/);
    expect(err).toMatch(/placeholders for removed secrets: weather \/token\n/);
  });
});

const PROMPT = { name: "p", arguments: [{ name: "topic", required: true }] };
const TEMPLATE = { name: "doc", uriTemplate: "doc://{id}" };
const lockWith = (servers: Readonly<Record<string, readonly object[]>>): string =>
  writeLock({
    servers: new Map(
      Object.entries(servers).map(([name, tools]) => [name, lockedServer(name, tools)]),
    ),
  });

function lockedServer(name: string, tools: readonly object[]): LockedServer {
  const all = (definitions: readonly object[], key: string) =>
    new Map(
      definitions.flatMap((each) => {
        const locked = lockedDefinition(JSON.stringify(each));
        const of = (each as Record<string, unknown>)[key];
        return locked === undefined ? [] : [[String(of), locked] as const];
      }),
    );
  return {
    identity: { name: `${name}-server`, version: "3" },
    instructions: "Be kind.",
    tools: all(tools, "name"),
    prompts: all([PROMPT], "name"),
    resourceTemplates: all([TEMPLATE], "uriTemplate"),
  };
}
const EDITED_LOCK = lockWith({ s: [TOOL] }).replace('"minimum": 3', '"minimum": 4');

describe("touchstone mock of declarations", () => {
  const about = (id: number, method: string, params: object = {}) => ({
    jsonrpc: "2.0",
    id,
    method,
    params,
  });
  it("serves the lists of a lock file, and generates the rest", async () => {
    const file = join(tempDir(), "touchstone.lock");
    writeFileSync(file, lockWith({ one: [TOOL], two: [] }));
    const { of, err } = await ask(
      ["--server", "one", file],
      [
        about(1, "initialize", { protocolVersion: "2025-11-25" }),
        about(2, "tools/list"),
        about(3, "prompts/list"),
        about(4, "resources/templates/list"),
        about(5, "prompts/get", { name: "p", arguments: { topic: "x" } }),
        about(6, "prompts/get", { name: "p" }),
        about(7, "prompts/get", { name: "q" }),
        about(8, "resources/read", { uri: "doc://1" }),
        about(9, "resources/list"),
        call(10, { n: 1 }),
        call(11, { n: "1" }),
        about(12, "sampling/x"),
      ],
    );
    expect(err).toContain("serving one from a lock file: 1 tool\n");
    expect(of(1).result).toMatchObject({
      serverInfo: { name: "one-server", version: "3" },
      instructions: "Be kind.",
      capabilities: { tools: {}, prompts: {}, resources: {} },
    });
    expect(of(2).result).toEqual({ tools: [TOOL] });
    expect(of(3).result).toEqual({ prompts: [PROMPT] });
    expect(of(4).result).toEqual({ resourceTemplates: [TEMPLATE] });
    expect(of(5).result.messages[0].role).toBe("user");
    expect(of(6).error.message).toBe("the argument topic is missing");
    expect(of(7).error.message).toBe("Unknown prompt: q");
    expect(of(8).result.contents[0]).toMatchObject({ uri: "doc://1" });
    expect(of(9).result).toEqual({ resources: [] });
    expect(of(10).result.structuredContent.half).toBeGreaterThanOrEqual(3);
    expect(of(11).result.isError).toBe(true);
    expect(of(12).error).toMatchObject({
      code: -32601,
      message: "the lock file has no sampling/x",
    });
    const unclear = await outcomeOf(["mock", file]);
    expect([unclear.code, unclear.err]).toEqual([
      2,
      expect.stringMatching(/has several servers; choose one with --server: one, two\n/),
    ]);
  });

  it("is used by official clients as a lock file describes it", long, async () => {
    const file = join(tempDir(), "touchstone.lock");
    const locked = await outcomeOf(["lock", "--lock", file, "--", node, EVERYTHING_SERVER]);
    expect(locked.code).toBe(0);
    for (const sdk of ["v1", "v2 auto"] as const) {
      const mocked = await talk(
        sdk,
        ["mock", file],
        [
          ["get-structured-content", { location: "Chicago" }],
          ["get-sum", { a: 1, b: 2 }],
        ],
      );
      expect(mocked.tools.length).toBeGreaterThan(10);
      expect(mocked.results.map(({ refused }) => refused)).toEqual([undefined, undefined]);
    }
  });

  it.each([
    ["a list", [TOOL]],
    ["a result", { tools: [TOOL] }],
    ["a response", { jsonrpc: "2.0", id: 1, result: { tools: [TOOL] } }],
  ])("serves the tools in %s", async (_, value) => {
    const file = join(tempDir(), "tools.json");
    writeFileSync(file, `\uFEFF${JSON.stringify(value, null, 2)}`);
    const { of, err } = await ask([file], [about(1, "tools/list"), about(2, "prompts/list")]);
    expect(err).toContain("serving tools from a list of tools: 1 tool\n");
    expect(of(1).result).toEqual({ tools: [TOOL] });
    expect(of(2).error.code).toBe(-32601);
    const named = await outcomeOf(["mock", "--server", "s", file]);
    expect(named.err).toMatch(/a list of tools has no servers to choose from/);
  });
});

describe("touchstone mock with a capture and a file that declares", () => {
  const WITHOUT_LIST = SESSION.slice(2);
  const newer = { ...TOOL, description: "new", inputSchema: { type: "object", required: ["n"] } };
  const MESSAGES = [
    { jsonrpc: "2.0", id: 1, method: "tools/list" },
    ...[call(2, { n: 4 }), call(3, { n: "x" }), call(4, {})],
  ];

  it.each([
    ["a lock file", () => lockWith({ other: [newer] }), WITHOUT_LIST],
    ["a list of tools", () => JSON.stringify([newer]), WITHOUT_LIST],
    ["a list of tools instead of its own", () => JSON.stringify([newer]), SESSION],
  ])("takes the tools of %s", async (_, text, lines) => {
    const file = join(tempDir(), "declared.json");
    writeFileSync(file, text());
    for (const files of [
      [capture(lines), file],
      [file, capture(lines)],
    ]) {
      const { of, err } = await ask(files, MESSAGES);
      expect(err).toMatch(
        /serving s from a capture with a (?:lock file|list of tools): [12] .*, 1 tool/,
      );
      expect(of(1).result.tools).toEqual([newer]);
      expect(of(2).result.structuredContent).toEqual({ even: true, half: 3 });
      expect(of(3).result.structuredContent.half).toBeGreaterThanOrEqual(3);
      expect(of(4).result.content[0].text).toContain("was blocked");
    }
  });

  it("needs one of each, and names a file that it cannot read", async () => {
    const files = [capture(SESSION), capture(SESSION)];
    const twice = await outcomeOf(["mock", ...files]);
    expect([twice.code, twice.err]).toEqual([2, expect.stringContaining("one is a capture")]);
    for (const file of [join(tempDir(), "none"), tempDir()]) {
      const { code, err } = await outcomeOf(["mock", capture(SESSION), file]);
      expect([code, err]).toEqual([3, expect.stringContaining(`: ${file} cannot be read: `)]);
    }
  });
});

describe("touchstone mock --lock", () => {
  const locking = (servers: Readonly<Record<string, readonly object[]>>): string => {
    const file = join(tempDir(), "touchstone.lock");
    writeFileSync(file, lockWith(servers));
    return file;
  };
  const mock = (lock: string) =>
    outcomeOf(["mock", "--lock", lock, capture(SESSION)], { stdin: "" });
  it("starts with the tools that are locked, whatever the only server is called", async () => {
    expect((await mock(locking({ s: [TOOL], t: [] }))).code).toBe(0);
    expect((await mock(locking({ other: [TOOL] }))).code).toBe(0);
  });

  it("does not start with others, and shows the difference", async () => {
    const properties = { ...TOOL.inputSchema.properties, m: { type: "string" } };
    const newer = {
      ...TOOL,
      inputSchema: { ...TOOL.inputSchema, properties, required: ["n", "m"] },
    };
    const { code, err, out } = await mock(locking({ s: [newer, { ...TOOL, name: "u" }] }));
    expect([code, out]).toEqual([1, ""]);
    expect(err).toMatch(/c\.jsonl does not match .*touchstone\.lock\. Record it again/);
    expect(err).toMatch(/^ {2}t\/inputSchema.*\n(?:.*\n)* {2}u: .*gone/m);
  });

  it("needs a lock file with the server", async () => {
    const several = await mock(locking({ one: [], two: [] }));
    expect([several.code, several.err]).toEqual([
      2,
      expect.stringMatching(/has no server "s"; it has: one, two\n/),
    ]);
    const none = await mock(join(tempDir(), "none.lock"));
    expect([none.code, none.err]).toEqual([3, expect.stringMatching(/there is no such file/)]);
    const other = await mock(capture(SESSION));
    expect([other.code, other.err]).toEqual([2, expect.stringMatching(/c\.jsonl/)]);
  });
});

describe("touchstone mock with a strange file", () => {
  const other = SESSION.map((each) => each.replace('"server":"s"', '"server":"other"'));
  it("asks which server of several is meant", async () => {
    const file = capture([...SESSION, ...other]);
    const { code, err } = await outcomeOf(["mock", file]);
    expect([code, err]).toEqual([
      2,
      expect.stringMatching(/has frames of several servers; choose one with --server: s, other\n/),
    ]);
    const served = await ask([file], [call(7, { n: 4 })]);
    expect([served.code, served.err]).toEqual([code, err]);
    expect(served.of(7).error.message).toContain("has frames of several servers");
    const { of } = await ask(["--server", "other", file], [call(7, { n: 4 })]);
    expect(of(7).result.structuredContent).toEqual({ even: true, half: 3 });
    const none = await outcomeOf(["mock", "--server", "x", file]);
    expect([none.code, none.err]).toEqual([
      2,
      expect.stringMatching(/no frames of a server "x"; it has: s, other\n/),
    ]);
  });

  it.each<[string, (file: string) => void, number, RegExp]>([
    ["is empty", (file) => writeFileSync(file, ""), 2, /c\.jsonl: the file is empty\n/],
    [
      "has only blank lines",
      (file) => writeFileSync(file, "\n \n"),
      2,
      /not a capture, a lock file,.*: not JSON/,
    ],
    [
      "is other JSON",
      (file) => writeFileSync(file, "[5]\n"),
      2,
      /not a capture, a lock file, or a tools\/list result\n/,
    ],
    ["is no JSON", (file) => writeFileSync(file, "\u0000\u00ff\n".repeat(99)), 2, /not JSON/],
    [
      "has only a start",
      (file) => writeFileSync(file, '{"touchstone":"capture","version":1}\n'),
      2,
      /not a capture: it has no frames/,
    ],
    [
      "is of another version",
      (file) => writeFileSync(file, '{"touchstone":"capture","version":9}\n'),
      2,
      /not a capture: line 1/,
    ],
    [
      "has other lines",
      (file) => writeFileSync(file, '{"time":5}\n'.repeat(9_999)),
      2,
      /not a capture: line 1 cannot be read/,
    ],
    [
      "is a line of 200 MB",
      (file) => writeFileSync(file, Buffer.alloc(200_000_000, 0x7b)),
      2,
      /not a capture, and too large/,
    ],
    [
      "has a line of 200 MB",
      (file) => writeFileSync(file, `{"time":"${"x".repeat(200_000_000)}`),
      2,
      /line 1 cannot be read: longer than/,
    ],
    [
      "is a lock that was edited",
      (file) => writeFileSync(file, EDITED_LOCK),
      2,
      /c\.jsonl:\d+:\d+: .*does not match its content/,
    ],
    [
      "is a lock with a conflict",
      (file) => writeFileSync(file, `{"lock_version":1,\n<<<<<<< a\n`),
      2,
      /not JSON/,
    ],
    [
      "is a lock without servers",
      (file) => writeFileSync(file, '{"lock_version":1,"servers":{}}'),
      2,
      /has no servers/,
    ],
    [
      "is a pipe",
      (file) => void execFileSync("mkfifo", [file]),
      3,
      /it is not a file; name a file/,
    ],
    [
      "is a link to itself",
      (file) => symlinkSync(file, file),
      3,
      /its symbolic links lead in a circle/,
    ],
    ["is a link to nothing", (file) => symlinkSync("none", file), 3, /there is no such file/],
  ])("ends with an error if it %s", async (_, make, wanted, text) => {
    const file = join(tempDir(), "c.jsonl");
    make(file);
    const { code, err, out } = await outcomeOf(["mock", file]);
    expect([code, out, err]).toEqual([wanted, "", expect.stringMatching(text)]);
  });

  it("serves what can be read of a file that was cut, and says what cannot", async () => {
    const file = capture([...SESSION, line("client", call(3, { n: 5 }))]);
    appendFileSync(file, (SESSION[3] ?? "").slice(0, -20));
    const { of, err } = await ask([file], [call(7, { n: 4 })]);
    expect(of(7).result.structuredContent).toEqual({ even: true, half: 3 });
    expect(err).toMatch(/1 line of the capture cannot be read; the first is line 6/);
    expect(err).toMatch(/1 recorded request without a response/);
  });
});
