import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConsole } from "@touchstone/http/console";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { long } from "../../../../core/src/testing/sample.ts";
import { parseConfig } from "../../config/load.ts";
import { FAULTY_SERVER, RECORDER, SCRIPTED_SERVER } from "../../testing/fixtures.ts";
import { startTestGateway, type TestGateway } from "../../testing/gateway.ts";
import { startHttpUpstream } from "../../testing/http.ts";

const require = createRequire(import.meta.url);
const EVERYTHING = {
  command: process.execPath,
  args: [require.resolve("@modelcontextprotocol/server-everything/dist/index.js"), "stdio"],
};
const FAULTY = { command: process.execPath, args: [FAULTY_SERVER] };
const DEAD = { command: process.execPath, args: ["-e", "process.exit(3)"] };
/** Whether `npm run build` has built the console; tests do not depend on that. */
const BUILT = loadConsole() !== undefined;
const ALLOWED = { http: { allow_execute: true } };

let touchstone: TestGateway;
afterEach(() => touchstone.close());

interface Answered {
  readonly status: number;
  readonly type: string;
  readonly body: unknown;
  readonly retryAfter: string | null;
}

async function ask(
  path: string,
  body?: string,
  headers: Record<string, string> = { "content-type": "application/json" },
): Promise<Answered> {
  const init = body === undefined ? { headers } : { method: "POST", headers, body };
  const response = await fetch(`http://127.0.0.1:${touchstone.gateway.port}${path}`, init);
  const type = response.headers.get("content-type") ?? "";
  const text = await response.text();
  const { status, headers: received } = response;
  const retryAfter = received.get("retry-after");
  return { status, type, body: type.includes("json") ? JSON.parse(text) : text, retryAfter };
}

describe("the tool API of one server", () => {
  it("lists and describes all tools, over all pages", async () => {
    touchstone = await startTestGateway({ mcpServers: { faulty: FAULTY } });
    const { status, body } = await ask("/servers/faulty/tools");
    expect(status).toBe(200);
    const names = (body as { name: string }[]).map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["get_weather", "broken_schema"]));
    const tool = await ask("/servers/faulty/tools/get_weather");
    expect(tool.body).toMatchObject({ name: "get_weather", inputSchema: { type: "object" } });
    expect((await ask("/servers/faulty/tools/none")).status).toBe(404);
    expect((await ask("/servers/faulty/openapi.json")).body).toHaveProperty("openapi");
  });

  it("reports arguments that policy forbids as invalid, and does not send them", async () => {
    const narrow = { properties: { city: { enum: ["Oslo"] } }, required: ["city"] };
    // The arguments are checked by the schema first: policy is not applied to a call that the schema refuses.
    const input_validation = { rules: { extra: "ignore" } };
    const touchstoneOf = { tools: { get_weather: { narrow, input_validation } } };
    const mcpServers = { faulty: { ...FAULTY, touchstone: touchstoneOf } };
    touchstone = await startTestGateway({ ...ALLOWED, mcpServers });
    const at = "/servers/faulty/tools/get_weather";
    for (const path of [at, "/tools/faulty:get_weather"]) {
      expect((await ask(`${path}/validate`, '{"city":"Oslo"}')).body).toEqual({ valid: true });
      const { status, body } = await ask(`${path}/validate`, '{"city":"Rome"}');
      expect({ status, body }).toMatchObject({
        status: 200,
        body: { valid: false, errors: [{ path: "/city", keyword: "narrow" }] },
      });
    }
    const called = await ask(`${at}/call`, '{"city":"Rome"}');
    expect(JSON.stringify(called.body)).toContain("this gateway's policy forbids it");
    for (const name of ["A".repeat(1_025), `a${"\u0301\u0323".repeat(20_000)}`]) {
      const args = JSON.stringify({ city: "Oslo", [name]: 1 });
      const { body } = await ask(`${at}/validate`, args);
      expect(body).toMatchObject({
        valid: false,
        errors: expect.arrayContaining([
          expect.objectContaining({ keyword: "narrow", message: expect.stringMatching(/shorter/) }),
        ]),
      });
      expect((await ask(`${at}/call`, args)).body).toMatchObject({ isError: true });
    }
  });

  it("reports progress, and cancels the call when the client leaves", long, async () => {
    const folder = mkdtempSync(join(tmpdir(), "touchstone-progress-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const sent = join(folder, "sent");
    const command = [EVERYTHING.command, ...EVERYTHING.args];
    const everything = {
      command: process.execPath,
      args: [RECORDER, "--in", sent, "--", ...command],
    };
    touchstone = await startTestGateway({ ...ALLOWED, mcpServers: { everything } });
    const path = "/servers/everything/tools/trigger-long-running-operation/call";
    const call = (args: object, signal?: AbortSignal): Promise<Response> =>
      fetch(`http://127.0.0.1:${touchstone.gateway.port}${path}`, {
        method: "POST",
        headers: { "content-type": "application/json", accept: "text/event-stream" },
        body: JSON.stringify(args),
        ...(signal === undefined ? {} : { signal }),
      });
    const response = await call({ duration: 0.4, steps: 2 });
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    const events = (await response.text()).trim().split("\n\n");
    expect(events.slice(0, 2)).toEqual([
      'event: progress\ndata: {"progress":1,"total":2}',
      'event: progress\ndata: {"progress":2,"total":2}',
    ]);
    expect(events.at(-1)).toMatch(/^event: result\ndata: \{"content":.*operation completed/);
    const leaving = new AbortController();
    const left = await call({ duration: 600, steps: 3_000 }, leaving.signal);
    await left.body?.getReader().read();
    leaving.abort();
    await vi.waitFor(
      () => expect(readFileSync(sent, "utf8")).toContain("notifications/cancelled"),
      10_000,
    );
  });

  it("passes arguments and results on with their original numbers", async () => {
    const result = '{"content":[],"structuredContent":{"n":9007199254740993,"f":2.0}}';
    const upstream = await startHttpUpstream(({ body }, response) => {
      const { id, method } = JSON.parse(body) as { id: number; method: string };
      const tools =
        '{"resultType":"complete","tools":[{"name":"t","inputSchema":{"type":"object"}}]}';
      const own =
        method === "tools/list"
          ? tools
          : '{"resultType":"complete","supportedVersions":["2026-07-28"]}';
      const text = method === "tools/call" ? result : own;
      response.writeHead(200, { "content-type": "application/json" });
      response.end(`{"jsonrpc":"2.0","id":${id},"result":${text}}`);
    });
    touchstone = await startTestGateway({ ...ALLOWED, mcpServers: { up: { url: upstream.url } } });
    const response = await fetch(
      `http://127.0.0.1:${touchstone.gateway.port}/servers/up/tools/t/call`,
      {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: '{"n":9007199254740993,"f":2.0}',
      },
    );
    const sent = upstream.seen.find(({ body }) => body.includes("tools/call"));
    expect(sent?.body).toContain('"arguments":{"n":9007199254740993,"f":2.0}');
    expect(await response.text()).toContain('"structuredContent":{"n":9007199254740993,"f":2.0}');
    await upstream.close();
  });

  it("shows schemas as the server wrote them, and checks by them", async () => {
    const schema = '{ "type":"object", "properties":{"b":{"maximum":9007199254740993},"1":{}} }';
    const upstream = await startHttpUpstream(({ body }, response) => {
      const { id } = JSON.parse(body) as { id: number };
      const tools = `[{"name":"t","inputSchema":${schema},"outputSchema":${schema}}]`;
      response.writeHead(200, { "content-type": "application/json" });
      response.end(
        `{"jsonrpc":"2.0","id":${id},"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"tools":${tools}}}`,
      );
    });
    touchstone = await startTestGateway({ mcpServers: { up: { url: upstream.url } } });
    for (const tool of ["/servers/up/tools/t", "/tools/up:t"]) {
      const response = await fetch(`http://127.0.0.1:${touchstone.gateway.port}${tool}`);
      expect(await response.text()).toContain(`"inputSchema":${schema},"outputSchema":${schema}`);
      const right = await ask(`${tool}/validate`, '{"b":9007199254740993}');
      expect(right.body).toEqual({ valid: true });
      const wrong = await ask(`${tool}/validate`, '{"b":9007199254740994}');
      expect(wrong.body).toMatchObject({ valid: false, errors: [{ path: "/b" }] });
    }
    await upstream.close();
  });

  it("passes a server's error on, and says that it is the server's", async () => {
    const error =
      '{"code":-32000,"message":"no room at /a/b","data":{"free":9007199254740993,"hint":"x"}}';
    const upstream = await startHttpUpstream(({ body }, response) => {
      const { id, method } = JSON.parse(body) as { id: number; method: string };
      const tools = [{ name: "t", inputSchema: { type: "object" } }];
      const result = { resultType: "complete", supportedVersions: ["2026-07-28"], tools };
      const member =
        method === "tools/call" ? `"error":${error}` : `"result":${JSON.stringify(result)}`;
      response.writeHead(200, { "content-type": "application/json" });
      response.end(`{"jsonrpc":"2.0","id":${id},${member}}`);
    });
    touchstone = await startTestGateway({ ...ALLOWED, mcpServers: { up: { url: upstream.url } } });
    const response = await fetch(
      `http://127.0.0.1:${touchstone.gateway.port}/servers/up/tools/t/call`,
      { method: "POST", headers: { "content-type": "application/json" }, body: "{}" },
    );
    expect(response.status).toBe(500);
    const text = await response.text();
    expect(text).toContain(`"structuredContent":${error}`);
    const told = "tools/call was answered with the error -32000: no room at /a/b";
    expect(JSON.parse(text)).toMatchObject({ isError: true, content: [{ text: told }] });
    const line = await touchstone.line(/the server's error/);
    expect(line).toContain("-32000");
    expect(line).not.toContain("handler_failed");
    await upstream.close();
  });

  it("serves its page with and without the slash, and the page's files", async () => {
    touchstone = await startTestGateway({ mcpServers: { faulty: FAULTY } });
    for (const [path, base] of [
      ["/servers/faulty/", "./"],
      ["/servers/faulty", "./faulty/"],
    ] as const) {
      const { status, type, body } = await ask(path);
      expect([status, type]).toEqual([200, "text/html; charset=utf-8"]);
      const [, asset = ""] = /href="\.\/(?:faulty\/)?(assets\/[^"]+)"/.exec(String(body)) ?? [];
      expect(String(body)).toContain(base);
      expect((await ask(`/servers/faulty/${asset}`)).status).toBe(200);
    }
  });

  it("validates arguments while execution is off, but runs nothing", async () => {
    touchstone = await startTestGateway({ mcpServers: { faulty: FAULTY } });
    const tool = "/servers/faulty/tools/get_weather";
    expect((await ask(`${tool}/validate`, `{"city":"Oslo"}`)).body).toEqual({ valid: true });
    const wrong = await ask(`${tool}/validate`, `{"town":"Oslo"}`);
    expect(wrong).toMatchObject({ status: 200, body: { valid: false } });
    const call = await ask(`${tool}/call`, `{"city":"Oslo"}`);
    expect(call).toMatchObject({ status: 403, body: { error: "Tool execution is disabled." } });
    expect(await touchstone.records({ type: "tool_call" })).toEqual([]);
  });

  it("runs tools through the gateway's checks, which record the call", async () => {
    const settings = { ...ALLOWED, output_validation: { mode: "strict" } };
    touchstone = await startTestGateway({ mcpServers: { faulty: FAULTY }, ...settings });
    const right = await ask("/servers/faulty/tools/echo/call", `{"value":[1]}`);
    expect(right.status).toBe(200);
    const wrong = await ask("/servers/faulty/tools/get_weather/call", `{"city":"Berlin"}`);
    expect(wrong).toMatchObject({
      status: 500,
      body: {
        isError: true,
        content: [{ text: expect.stringContaining("output schema validation failed") }],
      },
    });
    expect(await touchstone.records({ type: "tool_call" })).toMatchObject([
      { server: "faulty", tool: "echo", status: "success", client: "touchstone-http/1" },
      { server: "faulty", tool: "get_weather", status: "blocked" },
    ]);
  });

  it("refuses what policy or a limit forbids with a status of its own, and runs nothing", async () => {
    const narrow = { properties: { city: { enum: ["Oslo"] } } };
    const limited = { limits: { calls_per_minute: 1 }, policy: { deny_tools: ["echo"] } };
    touchstone = await startTestGateway({
      ...ALLOWED,
      mcpServers: {
        narrowed: { ...FAULTY, touchstone: { tools: { get_weather: { narrow } } } },
        limited: { ...FAULTY, touchstone: limited },
      },
    });
    for (const at of ["/servers/narrowed/tools/", "/tools/narrowed:"]) {
      expect(await ask(`${at}get_weather/call`, '{"city":"Rome"}')).toMatchObject({
        status: 403,
        retryAfter: null,
        body: { isError: true, content: [{ text: expect.stringContaining("policy forbids it") }] },
      });
    }
    expect((await ask("/servers/limited/tools/echo/call", "{}")).status).toBe(404);
    const call = () => ask("/servers/limited/tools/get_weather/call", '{"city":"Oslo"}');
    expect((await call()).status).toBe(200);
    const over = await call();
    expect(over).toMatchObject({
      status: 429,
      body: { isError: true, content: [{ text: expect.stringMatching(/try again in \d+ s/) }] },
    });
    expect(Number(over.retryAfter)).toBeGreaterThan(50);
    const calls = await touchstone.records({ type: "tool_call" });
    expect(calls.map(({ status }) => status).toSorted()).toEqual([
      ...["limited", "out_of_bounds", "out_of_bounds", "success"],
    ]);
  });

  it("records a refused call once, before it responds", async () => {
    const telemetry = { metrics: true };
    touchstone = await startTestGateway({ mcpServers: { faulty: FAULTY }, telemetry, ...ALLOWED });
    for (const path of ["/servers/faulty/tools/get_weather", "/tools/faulty:get_weather"]) {
      const refused = await ask(`${path}/call`, `{"town":"Oslo"}`);
      expect(refused).toMatchObject({ status: 200, body: { isError: true } });
    }
    const records = await touchstone.records({ server: "faulty" });
    const [first] = records;
    const common = {
      source: "http",
      tool: "get_weather",
      status: "blocked",
      decision: "blocked",
      direction: "input",
      outcome: "violation",
      reason: expect.stringMatching(/^\/city is required; \/town is not declared/),
      client: "touchstone-http/1",
    };
    const decision = {
      ...common,
      type: "policy_decision",
      issues: [
        { path: "/city", rule: "required" },
        { path: "/town", rule: "extra" },
      ],
      schema_hash: expect.stringMatching(/^sha256:/),
    };
    const call = { ...common, type: "tool_call", bytes_in: 15 };
    expect(records).toMatchObject([decision, call, decision, call]);
    expect(records[1]?.request_id).toBe(first?.request_id);
    expect(records[2]?.request_id).not.toBe(first?.request_id);
    await touchstone.line(/faulty\/get_weather input blocked: \/city is required/);
    const metrics = (await ask("/metrics")).body as string;
    expect(metrics).toMatch(
      /validations_total\{[^}]*mode="strict",outcome="violation",decision="blocked",rule="required"[^}]*\} 2\n/,
    );
  });

  it("repairs arguments as configured, and records the repair", long, async () => {
    const touchstoneOptions = { input_validation: { mode: "strict", repair: ["safe"] } };
    const tools = { echo: { input_validation: { repair: [] } } };
    touchstone = await startTestGateway({
      ...ALLOWED,
      mcpServers: {
        everything: { ...EVERYTHING, touchstone: { ...touchstoneOptions, tools } },
        off: { ...EVERYTHING, touchstone: { input_validation: { mode: "off", repair: ["all"] } } },
      },
    });
    for (const path of ["/servers/everything/tools/get-sum", "/tools/everything:get-sum"]) {
      const answer = await ask(`${path}/call`, '{"a":"2","b":3}');
      expect(answer).toMatchObject({ status: 200, body: { isError: false } });
    }
    const refused = await ask("/servers/everything/tools/echo/call", '{"message":5}');
    expect(refused).toMatchObject({ status: 200, body: { isError: true } });
    const off = await ask("/servers/off/tools/get-sum/call", '{"a":"2","b":3}');
    expect(off).toMatchObject({ status: 200, body: { isError: true } });
    const records = await touchstone.records({ tool: "get-sum", server: "everything" });
    const repairs = "coerce-scalars at /a";
    const decision = { type: "policy_decision", source: "gateway", decision: "repaired", repairs };
    const call = { type: "tool_call", decision: "repaired", status: "success", repairs };
    expect(records).toMatchObject([decision, call, decision, call]);
  });

  it("works with a server that needs sessions", async () => {
    touchstone = await startTestGateway({ mcpServers: { everything: EVERYTHING }, ...ALLOWED });
    const echo = "/servers/everything/tools/echo";
    expect((await ask(echo)).body).toMatchObject({ name: "echo" });
    const answer = { status: 200, body: { content: [{ text: "Echo: hi" }], isError: false } };
    expect(await ask(`${echo}/call`, `{"message":"hi"}`)).toMatchObject(answer);
    const [{ session } = { session: null }] = await touchstone.records({ type: "tool_call" });
    expect(session).toMatch(/^sha256:/);
  });

  it("sends arguments unchanged, with the headers that a tool declares", async () => {
    const inputSchema = {
      type: "object",
      properties: { n: { type: "integer", "x-mcp-header": "N" } },
    };
    const upstream = await startHttpUpstream(({ body }, response) => {
      const { id, method } = JSON.parse(body) as { id: number; method: string };
      const result = {
        resultType: "complete",
        supportedVersions: ["2026-07-28"],
        ...(method === "tools/list" ? { tools: [{ name: "t", inputSchema }] } : { content: [] }),
      };
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
    });
    try {
      touchstone = await startTestGateway({
        mcpServers: { web: { url: upstream.url } },
        ...ALLOWED,
      });
      const args = `{ "n": 1.0, "big": 12345678901234567890 }`;
      expect((await ask("/servers/web/tools/t/call", args)).status).toBe(200);
      const call = upstream.seen.at(-1);
      expect(call?.body).toContain(`"arguments":${args}`);
      expect(call?.headers).toMatchObject({ "mcp-name": "t", "mcp-param-n": "1" });
      expect(call?.headers).not.toHaveProperty("x-api-key");
      await upstream.close();
      const checked = await ask("/servers/web/tools/t/validate", `{"n":"one"}`);
      expect(checked).toMatchObject({ status: 200, body: { errors: [{ path: "/n" }] } });
      const failed = await ask("/servers/web/tools/t/call", args);
      expect(failed).toMatchObject({ status: 500, body: { isError: true } });
    } finally {
      await upstream.close();
    }
  });

  it("refuses a call beyond limits.concurrent_calls, and lets no server choose its status", async () => {
    let isFree = () => {};
    const held = new Promise<void>((resolve) => {
      isFree = resolve;
    });
    const upstream = await startHttpUpstream(async ({ body }, response) => {
      const { id, method } = JSON.parse(body) as { id: number; method: string };
      const refused = { content: [], isError: true, refusal: { status: 403, retryAfter: 9 } };
      const result = {
        resultType: "complete",
        supportedVersions: ["2026-07-28"],
        ...(method === "tools/list" ? { tools: [{ name: "t", inputSchema: {} }] } : refused),
      };
      if (method === "tools/call") await held;
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
    });
    onTestFinished(() => upstream.close());
    touchstone = await startTestGateway({
      mcpServers: { web: { url: upstream.url } },
      limits: { concurrent_calls: 1 },
      ...ALLOWED,
    });
    const call = () => ask("/servers/web/tools/t/call", "{}");
    const first = call();
    await vi.waitFor(() => expect(upstream.seen.at(-1)?.body).toContain("tools/call"));
    const text = expect.stringMatching(/^The call of "t" was rejected .*concurrent_calls/);
    expect(await call()).toMatchObject({
      status: 429,
      retryAfter: "1",
      body: { isError: true, content: [{ text }] },
    });
    isFree();
    expect(await first).toMatchObject({ status: 500, retryAfter: null });
  });

  it("runs tools as soon as the configuration allows it, without a restart", async () => {
    touchstone = await startTestGateway({ mcpServers: { faulty: FAULTY } });
    const call = () => ask("/servers/faulty/tools/echo/call", "{}");
    expect((await call()).status).toBe(403);
    const config = {
      mcpServers: { faulty: FAULTY },
      listen: { address: "127.0.0.1:0" },
      ...ALLOWED,
    };
    const changes = await touchstone.gateway.reload(
      parseConfig(JSON.stringify(config), { file: "touchstone.json", env: {} }),
    );
    expect(changes).toEqual(["the HTTP tool API may run tools"]);
    expect((await call()).status).toBe(200);
  });

  it("returns 404 for an unknown server", async () => {
    touchstone = await startTestGateway({ mcpServers: { faulty: FAULTY } });
    for (const path of ["/servers/none/tools", "/servers/", "/servers/%E0%A4%A/"]) {
      const { status, body } = await ask(path);
      expect([path, status]).toEqual([path, 404]);
      expect(body).toEqual({ error: expect.stringMatching(/^No server .* Servers: faulty$/) });
    }
    const person = await fetch(new URL("/servers/none/tools", touchstone.url("faulty")), {
      headers: { accept: "text/html,*/*;q=0.8" },
    });
    expect(await person.text()).toBe(
      'No server is named "none". These paths are:\n\nconsole  /\ntools    /servers/faulty/\n',
    );
  });

  it("reports that the tools of a stopped server are unavailable", async () => {
    touchstone = await startTestGateway({ mcpServers: { dead: DEAD }, ...ALLOWED });
    const unavailable = "The list of tools is not available. Try again later.";
    expect(await ask("/servers/dead/tools")).toMatchObject({
      status: 500,
      body: { error: unavailable },
    });
    const validated = await ask("/servers/dead/tools/any/validate", "{}");
    expect(validated).toMatchObject({ status: 200, body: { valid: false } });
    expect(await ask("/servers/dead/tools/any/call", "{}")).toMatchObject({ status: 500 });
    expect(await touchstone.line(/tool API: .*dead/)).toContain("initialize");
  });
});

describe("the combined list of all servers", () => {
  /** Waits until servers have started: the combined list only waits 3 s for each. */
  const started = async (...servers: readonly string[]): Promise<void> => {
    for (const server of servers) {
      expect((await ask(`/servers/${encodeURIComponent(server)}/tools`)).status).toBe(200);
    }
  };

  it("names tools by their server, and leaves out a stopped server", async () => {
    const mcpServers = { faulty: FAULTY, "a:b": FAULTY, dead: DEAD };
    touchstone = await startTestGateway({ mcpServers, ...ALLOWED });
    await started("faulty", "a:b");
    const { status, body } = await ask("/tools");
    expect(status).toBe(200);
    const names = (body as { name: string }[]).map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["faulty:echo", "a:b:echo"]));
    expect(names.filter((name) => name.startsWith("dead:"))).toEqual([]);
    expect(await touchstone.line(/missing in \/tools/)).toContain("dead");
    for (const name of ["faulty:echo", "a:b:echo", "a%3Ab%3Aecho"]) {
      const tool = await ask(`/tools/${name}`);
      expect(tool.body).toMatchObject({ name: decodeURIComponent(name) });
      const called = await ask(`/tools/${name}/call`, `{"value":1}`);
      expect([name, called.status]).toEqual([name, 200]);
    }
    expect(await touchstone.records({ type: "tool_call" })).toMatchObject([
      { server: "faulty", tool: "echo" },
      { server: "a:b", tool: "echo" },
      { server: "a:b", tool: "echo" },
    ]);
    const checked = await ask("/tools/faulty:get_weather/validate", `{"city":7}`);
    expect(checked.body).toMatchObject({ valid: false, errors: [{ path: "/city" }] });
  });

  it("waits a few seconds for a silent server, then lists the others' tools", long, async () => {
    const args = [SCRIPTED_SERVER, "--on", "tools/list=silent"];
    const deaf = { command: process.execPath, args };
    touchstone = await startTestGateway({ mcpServers: { faulty: FAULTY, deaf } });
    await started("faulty");
    const { status, body } = await ask("/tools");
    expect(status).toBe(200);
    const names = (body as { name: string }[]).map(({ name }) => name);
    expect(names).toContain("faulty:echo");
    expect(names.filter((name) => name.startsWith("deaf:"))).toEqual([]);
    expect(await touchstone.line(/missing in \/tools/)).toMatch(/deaf.*did not respond within 3 s/);
  });

  it("lists the stored tools of a server that is slow, and says so", long, async () => {
    const slow = {
      command: process.execPath,
      args: [SCRIPTED_SERVER, "--on", "tools/list=silent"],
    };
    touchstone = await startTestGateway({ mcpServers: { slow: FAULTY } });
    expect((await ask("/tools/slow:echo")).status).toBe(200);
    await touchstone.gateway.close();
    const mcpServers = { faulty: FAULTY, slow };
    const { dataDir } = touchstone;
    touchstone = await startTestGateway({ mcpServers }, dataDir);
    await started("faulty");
    const { body } = await ask("/tools");
    const listed = body as { name: string; description: string }[];
    expect(listed.map(({ name }) => name)).toContain("faulty:get_weather");
    expect(listed).toContainEqual({
      name: "slow:echo",
      description:
        "From an earlier run: the server has not listed its tools since the gateway started.",
    });
    const line = await touchstone.line(/only the last known tools of this server/);
    expect(line).toMatch(/slow.*did not respond within 3 s/);
  });

  it("returns 404 for tools of unknown servers", async () => {
    touchstone = await startTestGateway({ mcpServers: { faulty: FAULTY } });
    for (const name of ["none:echo", "echo", "faulty:none", "%E0%A4%A"]) {
      expect([name, (await ask(`/tools/${name}`)).status]).toEqual([name, 404]);
      expect([name, (await ask(`/tools/${name}/validate`, "{}")).status]).toEqual([name, 404]);
    }
  });
});

describe("pages for people", () => {
  it.skipIf(BUILT)("start with a list of all servers if no console was built", async () => {
    touchstone = await startTestGateway({ mcpServers: { faulty: FAULTY, "<b>&": FAULTY } });
    const { status, body } = await ask("/");
    expect(status).toBe(200);
    expect(body).toContain(`<a href="./servers/faulty/">faulty</a>`);
    expect(body).toContain(`<a href="./servers/%3Cb%3E%26/">&lt;b&gt;&amp;</a>`);
  });

  it.runIf(BUILT)("start with the console, which knows that it belongs to a gateway", async () => {
    touchstone = await startTestGateway({ mcpServers: { faulty: FAULTY }, auth: { api_key: "k" } });
    // A browser cannot send a key before it has loaded the page.
    const { status, type, body } = await ask("/", undefined, {});
    expect([status, type]).toEqual([200, "text/html; charset=utf-8"]);
    expect(body).toContain(
      `data-api="./" data-title="Touchstone" data-allow-execute="false" data-gateway="./"`,
    );
    expect(body).not.toContain("faulty");
    const [, asset = ""] = /src="\.(\/assets\/[^"]+)"/.exec(String(body)) ?? [];
    expect((await ask(asset, undefined, {})).status).toBe(200);
    expect((await ask("/", undefined, { origin: "https://evil.example" })).status).toBe(403);
    expect((await ask("/", "{}", { "x-api-key": "k" })).status).toBe(404);
    expect((await ask("/assets/..%2f..%2fpackage.json", undefined, {})).status).toBe(404);
    const own = await ask("/servers/faulty/", undefined, { "x-api-key": "k" });
    expect(own.body).toContain(`data-gateway="./../../../"`);
  });

  it("need the key", async () => {
    touchstone = await startTestGateway({ mcpServers: { faulty: FAULTY }, auth: { api_key: "k" } });
    for (const path of [
      ...(BUILT ? [] : ["/"]),
      "/tools",
      "/servers/faulty/",
      "/servers/faulty/tools/echo/validate",
    ]) {
      expect([path, (await ask(path, undefined, {})).status]).toEqual([path, 401]);
    }
    const { status } = await ask("/servers/faulty/tools", undefined, { "x-api-key": "k" });
    expect(status).toBe(200);
  });
});
