import { afterEach, describe, expect, it } from "vitest";
import { FAULTY_SERVER } from "../../testing/fixtures.ts";
import { initialize, post, request, startHttpUpstream } from "../../testing/http.ts";
import { type AdminGateway, startAdminGateway } from "./testing/admin-gateway.ts";

const FAULTY = {
  command: process.execPath,
  args: [FAULTY_SERVER, "--token", "hunter2"],
  env: { API_KEY: "hunter2" },
};
const ECHO = { name: "echo", arguments: {} };
const config = (content: object): string => JSON.stringify(content);

let touchstone: AdminGateway;
afterEach(() => touchstone.close());

async function serverOf(name: string): Promise<unknown> {
  const { body } = await touchstone.get("servers");
  return (body as { name: string }[]).find((server) => server.name === name);
}

describe("GET /api/v1/servers/{name}", () => {
  it("reports the limits on a server's calls, and shows names of variables", async () => {
    const narrow = { properties: { path: { within: [`\${HOME_OF_NOTES:-/notes}`] } } };
    const limits = { calls_per_minute: 5, result_bytes: 900 };
    const limited = {
      ...FAULTY,
      touchstone: {
        policy: { deny_tools: ["delete_*"], mode: "warn" },
        limits,
        tools: { read: { narrow, limits: { calls_per_minute: 2, result_bytes: 80 } }, plain: {} },
      },
    };
    const text = config({ mcpServers: { limited, free: FAULTY }, policy: { read_only: true } });
    touchstone = await startAdminGateway(text);
    const { body } = await touchstone.get("servers/limited");
    expect(body).toMatchObject({
      policy: {
        mode: "warn",
        levels: [
          { level: "top", readOnly: true },
          { level: "server", denyTools: ["delete_*"] },
        ],
        limits: [{ level: "server", callsPerMinute: 5, resultBytes: 900 }],
        tools: [{ tool: "read", narrow, callsPerMinute: 2, resultBytes: 80 }],
      },
    });
    const free = (await touchstone.get("servers/free")).body;
    expect(free).toMatchObject({
      policy: { mode: "strict", levels: [{ level: "top" }], tools: [] },
    });
    await touchstone.close();
    touchstone = await startAdminGateway(config({ mcpServers: { free: FAULTY } }));
    expect((await touchstone.get("servers/free")).body).not.toHaveProperty("policy");
  });
});

describe("GET /api/v1/servers", () => {
  it("lists every configured server before the first use", async () => {
    const mcpServers = {
      faulty: { ...FAULTY, touchstone: { input_validation: { mode: "strict" } } },
      web: { url: "http://127.0.0.1:9/mcp?key=hunter2", headers: { "X-Secret": "hunter2" } },
      "of f": { command: "x", disabled: true },
    };
    touchstone = await startAdminGateway(config({ mcpServers }));
    const { status, headers, body } = await touchstone.get("servers");
    expect([status, headers.get("cache-control")]).toEqual([200, "no-store"]);
    expect(JSON.stringify(body)).not.toContain("hunter2");
    const unused = {
      revisions: [],
      sessions: 0,
      children: 0,
      tools: null,
      schemaFaults: null,
      unreadSchemas: null,
      unusableTools: null,
    };
    expect(body).toMatchObject([
      {
        name: "faulty",
        transport: "stdio",
        env: ["API_KEY"],
        disabled: false,
        state: "idle",
        endpoint: "mcp/faulty",
        modes: { input: "strict", output: "warn", protocol: "warn" },
        capability: "pass",
        ...unused,
      },
      { name: "web", transport: "http", url: "http://127.0.0.1:9/mcp", headers: ["X-Secret"] },
      { name: "of f", endpoint: "mcp/of%20f", disabled: true, state: "disabled", ...unused },
    ]);
  });

  it("reports sessions, processes, revisions and tools, in both eras", async () => {
    touchstone = await startAdminGateway(config({ mcpServers: { faulty: FAULTY } }));
    const url = touchstone.url("faulty");
    const session = await initialize(url);
    await post(url, request(1, "tools/call", ECHO), session);
    expect(await serverOf("faulty")).toMatchObject({
      state: "running",
      since: expect.stringMatching(/Z$/),
      sessions: 1,
      children: 1,
      identity: expect.stringMatching(/^faulty-server\/\d/),
      revisions: ["2025-11-25"],
      tools: expect.any(Number),
      schemaFaults: 1,
      unreadSchemas: 0,
      unusableTools: { blocked: 0, unchecked: 1 },
    });
    await fetch(`http://127.0.0.1:${touchstone.gateway.port}/servers/faulty/tools`);
    expect(await serverOf("faulty")).toMatchObject({
      children: 2,
      sessions: 1,
      // The name that it sent in the handshake of the other era.
      identity: expect.stringMatching(/^faulty-server\/\d/),
      revisions: ["2025-11-25", "2026-07-28"],
    });
    await fetch(url, { method: "DELETE", headers: session });
    expect(await serverOf("faulty")).toMatchObject({ state: "running", sessions: 0, children: 1 });
  });

  it("reports why a server failed", async () => {
    const upstream = await startHttpUpstream((_, response) => void response.end("{}"));
    const mcpServers = {
      dead: { command: process.execPath, args: ["-e", "process.exit(3)"] },
      telling: {
        command: process.execPath,
        args: [
          "-e",
          `console.error("\\nno database at hunter2hunter2\\u001b[2J"); process.exit(4)`,
        ],
        env: { DATABASE: "hunter2hunter2" },
      },
      together: { command: `${process.execPath} x.js` },
      missing: { command: "touchstone-no-such-command" },
      web: { url: upstream.url },
    };
    touchstone = await startAdminGateway(config({ mcpServers }));
    for (const name of Object.keys(mcpServers)) {
      await post(touchstone.url(name), request(0, "initialize", { protocolVersion: "2025-11-25" }));
    }
    expect(await serverOf("dead")).toMatchObject({
      state: "failed",
      error: "the server exited with code 3",
      children: 0,
    });
    expect(await serverOf("telling")).toMatchObject({
      state: "failed",
      error:
        "the server exited with code 4; its last words on stderr: no database at [redacted]\\u{1b}[2J",
    });
    expect(await serverOf("together")).toMatchObject({
      state: "failed",
      error: expect.stringMatching(/move what follows the program into "args"$/),
    });
    expect(await serverOf("missing")).toMatchObject({
      state: "failed",
      error: expect.stringContaining("command not found"),
    });
    expect(await serverOf("web")).toMatchObject({ state: "running", children: 0 });
    await upstream.close();
    await post(touchstone.url("web"), request(1, "ping"));
    expect(await serverOf("web")).toMatchObject({
      state: "failed",
      error: expect.stringMatching(/^cannot reach the server at http:\/\/127[^?]*$/),
    });
  });
});

describe("GET /api/v1/servers/{name}", () => {
  it("shows each tool's definition, its faults and the settings in force", async () => {
    const tools = { get_weather: { output_validation: { mode: "off" } } };
    const faulty = { ...FAULTY, touchstone: { tools, input_validation: { mode: "strict" } } };
    touchstone = await startAdminGateway(config({ mcpServers: { faulty } }));
    expect((await touchstone.get("servers/faulty")).body).toMatchObject({ contracts: [] });
    const url = touchstone.url("faulty");
    // To check a call, the gateway requests the whole list.
    await post(url, request(1, "tools/call", ECHO), await initialize(url));
    const { status, body } = await touchstone.get("servers/faulty");
    const detail = body as { contracts: { tool: string }[]; tools: number };
    expect([status, detail.contracts.length]).toEqual([200, detail.tools]);
    expect(body).toMatchObject({ name: "faulty", own: { input: "strict" } });
    const contract = (tool: string) => detail.contracts.find((each) => each.tool === tool);
    expect(contract("get_weather")).toMatchObject({
      revision: "2025-11-25",
      inputHash: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      faults: [],
      modes: { input: "strict", output: "off", protocol: "warn" },
      own: { output: "off" },
      learnedAt: expect.stringMatching(/Z$/),
    });
    expect(contract("broken_schema")).toMatchObject({
      faults: [
        {
          direction: "output",
          code: expect.any(String),
          message: expect.any(String),
          hint: expect.stringMatching(/\.$/),
        },
      ],
      own: {},
    });
  });

  it("answers 404 for an unknown server, and 405 for an unsupported method", async () => {
    touchstone = await startAdminGateway(config({ mcpServers: { faulty: FAULTY } }));
    for (const path of ["servers/none", "servers/constructor", "settings/x", "servers/%E0%A4%A"]) {
      const { status, body } = await touchstone.get(path);
      expect([path, status, body]).toEqual([
        path,
        404,
        { error: expect.any(String), code: "NOT_FOUND" },
      ]);
    }
    const posted = await touchstone.get("servers", { method: "POST", body: "{}" });
    expect([posted.status, posted.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
    const got = await touchstone.get("modes");
    expect([got.status, got.headers.get("allow")]).toEqual([405, "PATCH"]);
    const head = await touchstone.get("servers", { method: "HEAD" });
    expect([head.status, head.body]).toEqual([200, undefined]);
    // Paths outside the API respond as before.
    expect((await touchstone.get("activity")).status).toBe(200);
  });
});

describe("GET /api/v1/settings", () => {
  it("shows the effective settings without secrets", async () => {
    const text = `{ "mcpServers": { "faulty": ${config(FAULTY)} }, "auth": { "api_key": "hunter2", "keys": [{ "name": "v", "role": "viewer", "key": "hunter22" }] },
      "activity": { "bodies": true }, "limits": { "call_timeout": 2.5 }, "output_validation": { "mode": "strict" } }`;
    touchstone = await startAdminGateway(text);
    const authorized = { headers: { "x-api-key": "hunter22" } };
    expect((await touchstone.get("settings")).status).toBe(401);
    const { status, body } = await touchstone.get("settings", authorized);
    expect(status).toBe(200);
    expect(JSON.stringify(body)).not.toContain("hunter2");
    expect(body).toMatchObject({
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      node: process.versions.node,
      uptimeSeconds: expect.any(Number),
      configuration: {
        file: "touchstone.json",
        editable: true,
        hash: expect.stringMatching(/^sha256:/),
        ignoredKeys: [],
        leftOut: [],
      },
      writes: "admin",
      listen: { host: "127.0.0.1", port: touchstone.gateway.port },
      auth: { apiKey: "set" },
      http: { allowExecute: false },
      limits: { sessions: 100, callTimeout: 2.5 },
      activity: { store: "sqlite", bodies: "all", retentionDays: 90 },
      validation: { input: { mode: "warn" }, output: { mode: "strict" } },
      own: { output: "strict" },
    });
  });

  it("lists the entries of a client's file that are not served, with reasons", async () => {
    const mcpServers = {
      faulty: FAULTY,
      old: { type: "sse", url: "https://example.com/sse?key=hunter2" },
      off: { command: 1, disabled: true, env: { KEY: "hunter2" } },
    };
    const servers = config({ mcpServers });
    touchstone = await startAdminGateway("{}", { editable: false, servers });
    const { body } = await touchstone.get("settings");
    const place = /^mcp\.json:1:\d+: \/mcpServers\/old\/type: the old HTTP\+SSE transport/;
    expect(body).toMatchObject({
      configuration: { leftOut: [{ server: "old", reason: expect.stringMatching(place) }] },
    });
    const { body: list } = await touchstone.get("servers");
    expect(list).toMatchObject([
      { name: "faulty", state: "idle" },
      {
        name: "off",
        state: "disabled",
        error: expect.stringMatching(/^mcp\.json:1:\d+: \/mcpServers\/off\/command: must be/),
      },
    ]);
    expect(JSON.stringify([body, list])).not.toContain("hunter2");
  });

  it("says that nothing can be changed, and why", async () => {
    const text = config({ mcpServers: { faulty: FAULTY } });
    touchstone = await startAdminGateway(text, { editable: false });
    expect((await touchstone.get("settings")).body).toMatchObject({
      configuration: { file: null, editable: false, reason: expect.stringContaining("--config") },
      writes: "off",
      own: {},
    });
    expect(touchstone.token).toBe("");
  });
});
