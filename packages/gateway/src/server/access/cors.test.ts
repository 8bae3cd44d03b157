import { request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FAULTY_SERVER } from "../../testing/fixtures.ts";
import { startTestGateway, type TestGateway } from "../../testing/gateway.ts";
import { type HttpUpstreamServer, request, startHttpUpstream } from "../../testing/http.ts";

const PAGE = "https://app.example";
const KEY = { "x-api-key": "s3cret" };

let upstream: HttpUpstreamServer;
let touchstone: TestGateway;

beforeAll(async () => {
  upstream = await startHttpUpstream(({ body }, response) => {
    const own = {
      "access-control-allow-origin": "*",
      "access-control-allow-credentials": "true",
      "access-control-expose-headers": "x-secret",
      vary: "Accept",
    };
    if (body === "") {
      response.writeHead(403, own).end();
      return;
    }
    const { id } = JSON.parse(body) as { id?: unknown };
    const text = JSON.stringify({ jsonrpc: "2.0", id, result: {} });
    response.writeHead(200, { ...own, "content-type": "application/json" }).end(text);
  });
  touchstone = await startTestGateway({
    listen: { address: "127.0.0.1:0", allowed_origins: [PAGE], allowed_headers: ["X-Request-Id"] },
    auth: { api_key: "s3cret" },
    mcpServers: {
      stdio: { command: process.execPath, args: [FAULTY_SERVER] },
      http: { url: upstream.url },
    },
  });
});
afterAll(async () => {
  await touchstone.close();
  await upstream.close();
});

interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** A request with headers that fetch does not let a program choose. */
function ask(
  path: string,
  method: string,
  headers: Record<string, string>,
  body?: object,
): Promise<Answer> {
  const { port } = touchstone.gateway;
  return new Promise((resolve, reject) => {
    const sent = httpRequest({ host: "127.0.0.1", port, path, method, headers }, async (answer) => {
      const parts: Buffer[] = [];
      for await (const chunk of answer) parts.push(chunk as Buffer);
      const text = Buffer.concat(parts).toString();
      resolve({ status: answer.statusCode, headers: answer.headers, text });
    });
    sent.on("error", reject).end(body && JSON.stringify(body));
  });
}

const preflight = (path: string, headers: Record<string, string> = {}): Promise<Answer> =>
  ask(path, "OPTIONS", { origin: PAGE, "access-control-request-method": "POST", ...headers });

const corsOf = (headers: IncomingHttpHeaders): string[] =>
  Object.keys(headers).filter((name) => name.startsWith("access-control-"));

describe("a CORS preflight", () => {
  it("from an allowed origin succeeds without the key on every path", async () => {
    const paths = ["/mcp/stdio", "/mcp/http", "/mcp/none", "/api/v1/activity", "/tools", "/none"];
    for (const path of paths) {
      const { status, headers, text } = await preflight(path);
      expect([path, status, text]).toEqual([path, 204, ""]);
      expect(headers).toMatchObject({
        "access-control-allow-origin": PAGE,
        "access-control-allow-methods": "GET, POST, DELETE",
        vary: "Origin",
      });
      expect(headers["access-control-allow-credentials"]).toBeUndefined();
    }
    expect(upstream.seen.filter(({ method }) => method === "OPTIONS")).toEqual([]);
  });

  it("allows exactly the headers of MCP, of tracing and of the configuration", async () => {
    const asked = "content-type,Mcp-Param-City,mcp-param-,mcp-param-a b,cookie,x-forwarded-for";
    const { headers } = await preflight("/mcp/stdio", { "access-control-request-headers": asked });
    const allowed = headers["access-control-allow-headers"]?.split(", ") ?? [];
    expect(allowed).toEqual([
      "content-type",
      "accept",
      "authorization",
      "x-api-key",
      "mcp-session-id",
      "mcp-protocol-version",
      "last-event-id",
      "mcp-method",
      "mcp-name",
      "traceparent",
      "tracestate",
      "X-Request-Id",
      "mcp-param-city",
    ]);
  });

  it.each([
    ["an origin that is refused", { origin: "https://evil.example" }, 403],
    ["no origin's name", { origin: "null" }, 403],
    ["an origin that is only let in", { origin: "http://localhost:5173" }, 401],
    ["a rebound name", { host: "evil.example" }, 403],
  ])("is refused for %s", async (_, headers, status) => {
    const answer = await preflight("/mcp/stdio", headers);
    expect(answer.status).toBe(status);
    expect(corsOf(answer.headers)).toEqual([]);
  });

  it("must name the requested method", async () => {
    const { status } = await ask("/mcp/stdio", "OPTIONS", { origin: PAGE, ...KEY });
    expect(status).toBe(405);
    const headers = { origin: PAGE, "access-control-request-method": "POST" };
    expect((await ask("/mcp/stdio", "POST", headers)).status).toBe(401);
  });
});

describe("a response to an allowed origin", () => {
  const readable = (headers: IncomingHttpHeaders): void => {
    expect(headers).toMatchObject({
      "access-control-allow-origin": PAGE,
      "access-control-expose-headers": "Mcp-Session-Id, WWW-Authenticate, Retry-After",
    });
    expect(headers.vary?.split(", ")).toContain("Origin");
    expect(corsOf(headers)).toHaveLength(2);
  };
  const json = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  };
  const params = {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "page", version: "1" },
  };

  it("is readable, whatever its status", async () => {
    const begin = request(1, "initialize", params);
    const asked: [string, string, Record<string, string>, object | undefined, number][] = [
      ["/mcp/stdio", "POST", { ...json, ...KEY }, begin, 200],
      ["/mcp/http", "POST", { ...json, ...KEY }, begin, 200],
      ["/mcp/http", "GET", KEY, undefined, 403],
      ["/mcp/stdio", "POST", json, begin, 401],
      ["/mcp/stdio", "POST", KEY, begin, 415],
      ["/mcp/stdio", "GET", KEY, undefined, 400],
      ["/api/v1/activity", "GET", KEY, undefined, 403],
      ["/api/v1/activity", "GET", {}, undefined, 401],
      ["/api/v1/servers", "GET", KEY, undefined, 403],
      ["/tools", "GET", KEY, undefined, 200],
      ["/healthz", "GET", {}, undefined, 200],
      ["/none", "GET", KEY, undefined, 404],
    ];
    for (const [path, method, headers, body, status] of asked) {
      const answer = await ask(path, method, { origin: PAGE, ...headers }, body);
      expect([path, answer.status]).toEqual([path, status]);
      readable(answer.headers);
      if (status === 401) expect(answer.headers["www-authenticate"]).toMatch(/^Bearer/);
      if (path === "/mcp/http") expect(answer.headers.vary).toBe("Accept, Origin");
    }
  });

  it("varies by origin, and never carries a server's own CORS headers", async () => {
    for (const origin of [{}, { origin: "http://localhost:5173" }]) {
      for (const path of ["/mcp/http", "/api/v1/activity"]) {
        const { headers } = await ask(path, "GET", { ...KEY, ...origin });
        expect(corsOf(headers)).toEqual([]);
        expect(headers.vary?.split(", ")).toContain("Origin");
      }
    }
  });
});
