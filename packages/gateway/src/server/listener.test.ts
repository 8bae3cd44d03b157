import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { Agent, request as httpRequest, type Server } from "node:http";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { parseConfig } from "../config/load.ts";
import { SCRIPTED_SERVER } from "../testing/fixtures.ts";
import { startTestGateway, type TestGateway } from "../testing/gateway.ts";
import { initialize, post, request } from "../testing/http.ts";

let open: TestGateway;
let keyed: TestGateway;

beforeAll(async () => {
  const server = { command: process.execPath, args: [SCRIPTED_SERVER] };
  open = await startTestGateway({
    limits: { request_bytes: 2048 },
    mcpServers: { "a name, ü": server, other: server },
  });
  keyed = await startTestGateway({
    auth: { api_key: "s3cret", admin_key: "0per4tor" },
    mcpServers: { one: server },
  });
});
afterAll(async () => {
  await Promise.all([open.close(), keyed.close()]);
});

const url = (path: string): string => new URL(path, open.url("other")).href;

interface Raw {
  readonly status: number | undefined;
  readonly headers: Record<string, unknown>;
  readonly text: string;
}

/** A request with headers that fetch does not let a program choose. */
function raw(target: string, method: string, headers: Record<string, string>): Promise<Raw> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(target, { method, headers }, async (response) => {
      const parts: Buffer[] = [];
      for await (const chunk of response) parts.push(chunk as Buffer);
      const { statusCode: status, headers: got } = response;
      resolve({ status, headers: got, text: Buffer.concat(parts).toString() });
    });
    sent.on("error", reject).end();
  });
}

it("keeps listening if the system cannot accept connections", async () => {
  const started = "http.server.request.start";
  const servers = new Set<Server>();
  const see = (message: unknown): void => void servers.add((message as { server: Server }).server);
  subscribe(started, see);
  await fetch(url("/healthz"));
  unsubscribe(started, see);
  const [server] = servers;
  for (let times = 0; times < 3; times += 1) {
    server?.emit("error", Object.assign(new Error("accept ENOBUFS"), { code: "ENOBUFS" }));
  }
  expect((await fetch(url("/healthz"))).status).toBe(200);
  expect(await open.line(/a connection could not be accepted/)).toContain("accept ENOBUFS");
});

it("starts no session for an initialize without an id", async () => {
  const { status, headers, text } = await post(open.url("other"), {
    jsonrpc: "2.0",
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "c" } },
  });
  expect([status, headers.get("mcp-session-id")]).toEqual([400, null]);
  expect(text).toContain("initialize needs an id");
  const { children } = await (await fetch(url("/api/v1/servers/other"))).json();
  expect(children).toBe(0);
});

describe("access checks", () => {
  it.each([
    [{ host: "evil.example" }, 403, "listen.allowed_hosts"],
    [{ host: "127.0.0.1", origin: "https://evil.example" }, 403, "listen.allowed_origins"],
    [{ host: "localhost", origin: "http://localhost:3000" }, 400, "Mcp-Session-Id is missing"],
  ])("%j", async (headers, status, text) => {
    for (const method of ["GET", "DELETE"]) {
      const answer = await raw(open.url("other"), method, headers);
      expect(answer.status).toBe(status);
      expect(answer.text).toContain(text);
    }
  });

  it("require the key if one is set, except for health checks", async () => {
    const target = keyed.url("one");
    const ping = request(1, "ping");
    const without = await post(target, ping);
    expect([without.status, without.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
    expect((await post(target, ping, { "x-api-key": "wrong" })).status).toBe(401);
    for (const headers of [{ "x-api-key": "s3cret" }, { authorization: "Bearer s3cret" }]) {
      expect((await post(target, ping, headers)).text).toContain("Mcp-Session-Id is missing");
    }
    const beside = await fetch(new URL("/anything", target));
    expect([beside.status, await beside.json()]).toEqual([
      401,
      { error: expect.stringContaining("X-API-Key"), code: "API_KEY_REQUIRED" },
    ]);
    const health = await fetch(new URL("/healthz", target));
    expect([health.status, await health.json()]).toEqual([200, { status: "ok" }]);
  });
});

it.each(["/", "/healthz", "/readyz", "/nowhere", "/tools", "/api/v1/servers", "/api/v1/activity"])(
  "sets headers against caching and content sniffing: %s",
  async (path) => {
    for (const [gateway, host] of [
      [open, "localhost"],
      [open, "evil.example"],
      [keyed, "localhost"],
    ] as const) {
      const target = new URL(path, gateway.url("one") || gateway.url("other"));
      expect((await raw(target.href, "GET", { host })).headers).toMatchObject({
        "cache-control": "no-store",
        "x-content-type-options": "nosniff",
      });
    }
  },
);

/** Returns the status and text of the response to a raw GET. */
async function askRaw(
  gateway: TestGateway,
  target: string,
  headers: readonly string[],
): Promise<readonly [number, string]> {
  const { port } = new URL(gateway.url("other") || gateway.url("one"));
  const socket = connect(Number(port), "127.0.0.1");
  socket.write([`GET ${target} HTTP/1.1`, ...headers, "Connection: close", "", ""].join("\r\n"));
  const text = (await socket.setEncoding("utf8").toArray()).join("");
  return [Number(text.split(" ")[1]), text];
}

describe("a header that is sent twice", () => {
  it.each([
    ["localhost", "evil.example"],
    ["evil.example", "localhost"],
  ])("is not accepted as a Host: %s and %s", async (...hosts) => {
    const headers = hosts.map((host) => `Host: ${host}`);
    const answer = await askRaw(open, "/tools", headers);
    expect(answer).toEqual([403, expect.stringContaining("Host is not allowed")]);
  });

  it.each([
    ["X-API-Key: s3cret", "X-API-Key: other"],
    ["Authorization: Bearer s3cret", "Authorization: Bearer other"],
  ])("is not accepted as a key: %s and %s", async (...keys) => {
    const [status] = await askRaw(keyed, "/tools", ["Host: localhost", ...keys]);
    expect(status).toBe(401);
    const [known] = await askRaw(keyed, "/tools", ["Host: localhost", keys[0]]);
    expect(known).not.toBe(401);
  });
});

describe("a request with an absolute URL", () => {
  const asked = (target: string, host = "localhost"): ReturnType<typeof askRaw> =>
    askRaw(open, target, [`Host: ${host}`]);

  it.each([
    ["http://localhost/healthz", 200, "ok"],
    ["HTTPS://127.0.0.1:1/readyz?query", 200, "ready"],
    ["http://[::1]/api/v1/servers", 200, "other"],
    ["http://localhost/mcp/other", 400, "Mcp-Session-Id is missing"],
    ["http://localhost", 200, "<html"],
    ["http://localhost?query", 200, "<html"],
    ["ftp://localhost/mcp/other", 404, "Nothing is served at this path"],
  ])("is served by its path: %s", async (target, status, text) => {
    const answer = await asked(target);
    expect(answer).toEqual([status, expect.stringContaining(text)]);
  });

  it.each([
    "http://evil.example/mcp/other",
    "http://user@localhost/mcp/other",
    "http:///mcp/other",
    "http://localhost.evil.example?/mcp/other",
  ])("is checked by the URL's host, not the Host header: %s", async (target) => {
    expect(await asked(target)).toEqual([403, expect.stringContaining("Host is not allowed")]);
  });

  it("ignores the Host header", async () => {
    expect((await asked("http://localhost/mcp/other", "evil.example"))[0]).toBe(400);
  });
});

describe("routes of the gateway", () => {
  it.each(["/mcp/none", "/mcp/other/", "/mcp/%E0"])(
    "answer an MCP client with a JSON-RPC error for a wrong path: %s",
    async (path) => {
      const answer = await fetch(new URL(path, open.url("other")), { method: "POST", body: "{}" });
      const message = expect.stringContaining("Nothing is served at this path");
      expect([answer.status, await answer.json()]).toMatchObject([
        404,
        { jsonrpc: "2.0", id: null, error: { message } },
      ]);
    },
  );

  it("serve server names with any characters", async () => {
    expect(open.url("a name, ü")).toMatch(/\/mcp\/a%20name%2C%20%C3%BC$/);
    await initialize(open.url("a name, ü"));
  });

  it.each(["/", "/mcp", "/mcp/", "/mcp/none", "/mcp/%", "/mcp/%E0%A4%A", "/mcp/__proto__"])(
    "list what is served for an unknown path: %s",
    async (path) => {
      const answer = await post(url(path), request(1, "ping"));
      expect(answer.status).toBe(404);
      expect(answer.text).toContain("/mcp/a%20name%2C%20%C3%BC, /mcp/other");
    },
  );

  const BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

  it.each([
    ["/nothing", BROWSER],
    ["/mcp/none", BROWSER],
    ["/mcp", "text/plain"],
    ["/mcp", "application/json;q=0.1, text/*;q=0.2"],
  ])("list the paths as text for a person at %s with Accept %s", async (path, accept) => {
    const answer = await raw(url(path), "GET", { accept });
    expect([answer.status, answer.headers["content-type"]]).toEqual([
      404,
      "text/plain; charset=utf-8",
    ]);
    expect(answer.text).toMatch(
      new RegExp(`^Nothing is served at ${path}\\. These paths are:\n\nconsole +/\n`),
    );
    expect(answer.text).toContain(
      "MCP server  /mcp/a%20name%2C%20%C3%BC\nMCP server  /mcp/other\n",
    );
    expect(answer.text).toContain("/healthz\n");
  });

  it.each([
    ["GET", "*/*"],
    ["GET", "application/json, text/event-stream"],
    ["GET", "text/html, application/json"],
    ["GET", "text/html;q=x"],
    ["POST", BROWSER],
  ])("answer a program in JSON: %s, Accept %s", async (method, accept) => {
    const answer = await raw(url("/nothing"), method, { accept });
    expect([answer.status, JSON.parse(answer.text)]).toMatchObject([404, { code: "NOT_FOUND" }]);
  });

  it.each(["PUT", "PATCH", "OPTIONS"])("refuse %s", async (method) => {
    const answer = await fetch(open.url("other"), { method });
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, "POST, GET, DELETE"]);
  });

  it.each(["text/plain", "application/json-seq", ""])(
    "refuse the content type %j",
    async (type) => {
      const answer = await post(open.url("other"), request(1, "ping"), { "content-type": type });
      expect(answer.status).toBe(415);
    },
  );

  it("report readiness to anyone, but servers only to those who may use them", async () => {
    const at = new URL("/readyz", keyed.url("one")).href;
    const bare = await fetch(at);
    expect([bare.status, await bare.json()]).toEqual([200, { status: "ready" }]);
    const agent = await fetch(at, { headers: { "x-api-key": "s3cret" } });
    expect(await agent.json()).toEqual({ status: "ready" });
    const known = await fetch(at, { headers: { "x-api-key": "0per4tor" } });
    expect(await known.json()).toEqual({
      status: "ready",
      records: "kept",
      servers: { one: expect.stringMatching(/^(idle|running|stopped)$/) },
    });
    const foreign = await fetch(url("/readyz"), { headers: { origin: "https://evil.example" } });
    expect(await foreign.json()).toEqual({ status: "ready" });
    const probed = await raw(url("/readyz"), "GET", { host: "10.0.0.7:7411" });
    expect([probed.status, JSON.parse(probed.text)]).toEqual([200, { status: "ready" }]);
    const alive = await raw(url("/healthz"), "GET", { host: "10.0.0.7:7411" });
    expect([alive.status, JSON.parse(alive.text)]).toEqual([200, { status: "ok" }]);
  });

  it("refuse an unsupported method", async () => {
    for (const path of ["/api/v1/activity", "/mcp/other"]) {
      const answer = await raw(url(path), "TRACE", {});
      expect([answer.status, answer.headers["allow"]]).toEqual([
        405,
        expect.stringContaining("GET"),
      ]);
    }
    expect(open.lines.join("\n")).not.toMatch(/touchstone error/);
  });

  it.each(["TRACE", "PUT"])("answer %s of a record like the API", async (method) => {
    const answer = await raw(url("/api/v1/activity"), method, {});
    expect([answer.status, answer.headers["allow"]]).toEqual([405, "GET, HEAD"]);
    expect(JSON.parse(answer.text)).toEqual({
      error: `${method} is not allowed here; use GET, HEAD.`,
      code: "METHOD_NOT_ALLOWED",
    });
  });

  it("accept JSON with a parameter", async () => {
    const type = { "content-type": "Application/JSON; charset=utf-8" };
    expect((await post(open.url("other"), request(1, "ping"), type)).status).toBe(400);
  });

  it("answer a body over the limit, and let the client read the response", async () => {
    const body = `{"x":"${"x".repeat(4_000_000)}"}`;
    const answer = await post(open.url("other"), body);
    expect(answer.status).toBe(413);
    expect(answer.text).toContain("4000008 bytes is over the limit of 2048 bytes");
    expect((await post(open.url("other"), request(1, "ping"))).status).toBe(400);
  });

  it("survive a client that leaves in the middle of its body", async () => {
    const { port } = new URL(open.url("other"));
    const socket = connect(Number(port), "127.0.0.1");
    const head = "POST /mcp/other HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json";
    socket.write(`${head}\r\nContent-Length: 100\r\n\r\n{`, () => socket.destroy());
    await open.line(/a client left before its request was complete/);
    expect(open.lines.join("\n")).not.toMatch(/touchstone error/);
  });
});

describe("an idle connection", () => {
  /** Sends a request, and returns the connection that stays open, with the header that states for how long. */
  async function idle(touchstone: TestGateway) {
    const agent = new Agent({ keepAlive: true });
    onTestFinished(() => agent.destroy());
    const sent = httpRequest({ port: touchstone.gateway.port, path: "/healthz", agent }).end();
    const [response] = await once(sent, "response");
    const freed = once(agent, "free");
    response.resume();
    const [socket] = await freed;
    return { closed: once(socket, "close"), hint: response.headers["keep-alive"] };
  }

  it("stays open for 75 s by default, and is closed when the gateway stops", async () => {
    const touchstone = await startTestGateway({ mcpServers: {} });
    onTestFinished(() => touchstone.close());
    const { closed, hint } = await idle(touchstone);
    expect(hint).toBe("timeout=75");
    await touchstone.gateway.close();
    await closed;
  });

  it("is closed after listen.idle_timeout, also a changed one", async () => {
    const config = (seconds: number) => ({
      listen: { address: "127.0.0.1:0", idle_timeout: seconds },
      mcpServers: {},
    });
    const touchstone = await startTestGateway(config(600));
    onTestFinished(() => touchstone.close());
    expect((await idle(touchstone)).hint).toBe("timeout=600");
    const changes = await touchstone.gateway.reload(
      parseConfig(JSON.stringify(config(1)), { file: "t.json", env: {} }),
    );
    expect(changes).toEqual(["idle connections stay open for 1 s"]);
    const { closed, hint } = await idle(touchstone);
    expect(hint).toBe("timeout=1");
    await closed;
  });
});
