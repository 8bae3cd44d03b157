import { readFileSync } from "node:fs";
import { request } from "node:http";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "../testing/gateway.ts";
import { type HttpUpstreamServer, startHttpUpstream } from "../testing/http.ts";
import { ROUTES } from "./routes.ts";

/** Names that a URL would drop, read differently, or refuse. */
const NAMES = [
  "..",
  ".",
  "a/b",
  "a//b",
  "x/validate",
  "100%",
  "%41",
  "__proto__",
  "constructor",
  "?#",
  "ü",
];

let upstream: HttpUpstreamServer;
let touchstone: TestGateway;

beforeAll(async () => {
  upstream = await startHttpUpstream(({ body }, response) => {
    const { id } = JSON.parse(body) as { id: number };
    const tools = NAMES.map((name) => ({ name, inputSchema: { type: "object" } }));
    const result = { resultType: "complete", supportedVersions: ["2026-07-28"], tools };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
  });
  touchstone = await startTestGateway({ mcpServers: { up: { url: upstream.url } } });
});
afterAll(async () => {
  await touchstone.close();
  await upstream.close();
});

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

/** Sends a request target as it is written. */
function ask(method: string, path: string, body = ""): Promise<Answer> {
  const { port } = touchstone.gateway;
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port, method, path, headers }, async (response) => {
      const text = Buffer.concat(await response.toArray()).toString();
      resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
    });
    sent.once("error", reject).end(body);
  });
}

describe("passes the request target to the tool API unchanged", () => {
  const doors = [
    ["one server", "/servers/up/tools/", ""],
    ["all servers", "/tools/up:", "up:"],
  ] as const;
  const cases = doors.flatMap(([door, path, prefix]) =>
    NAMES.map((name) => [door, name, path, prefix] as const),
  );

  it.each(cases)("for %s and the tool %j", async (_, name, path, prefix) => {
    const encoded = encodeURIComponent(name);
    const listed = await ask("GET", path + encoded);
    expect([listed.status, JSON.parse(listed.text)["name"]]).toEqual([200, prefix + name]);
    const checked = await ask("POST", `${path}${encoded}/validate`, "{}");
    expect([checked.status, checked.text]).toEqual([200, '{"valid":true}']);
  });

  it.each([
    ["GET", "/servers/up/tools/..", "", 200, '"name":".."'],
    ["POST", "/servers/up/tools/../validate", "{}", 200, '{"valid":true}'],
    ["GET", "/servers/up/tools/a/b", "", 200, '"name":"a/b"'],
    ["POST", "/servers/up/tools/a//b/validate", "{}", 200, '{"valid":true}'],
    ["POST", "/servers/up/tools/x%2fvalidate/validate", "{}", 200, '{"valid":true}'],
    ["GET", "/servers/up/tools/%E0%A4%A", "", 404, "Tool not found: %E0%A4%A"],
    ["GET", "/servers/up/tools/100%", "", 404, "Tool not found: 100%"],
    ["GET", "/servers/__proto__/tools", "", 404, 'No server is named \\"__proto__\\"'],
    ["GET", "/servers/%/tools", "", 404, 'No server is named \\"%\\"'],
    ["GET", "/servers/up/../up/tools", "", 404, "Nothing is served at /../up/tools"],
    ["GET", "/tools/up:../../api/v1/settings", "", 404, "Tool not found"],
    ["OPTIONS", "/servers/up/tools", "", 204, ""],
    ["TRACE", "/servers/up/tools", "", 405, "Use one of: GET, HEAD, OPTIONS."],
  ])("%s %s", async (method, path, body, status, text) => {
    const answer = await ask(method, path, body);
    expect(answer).toMatchObject({ status, text: expect.stringContaining(text) });
  });
});

describe("an API path", () => {
  const filled = (path: string): string =>
    path.replace("{server}", "up").replace("{tool}", "t").replace("{id}", "0".repeat(26));
  const paths = [
    ...new Set(ROUTES.filter(({ access }) => access !== "anyone").map(({ path }) => path)),
  ];
  const allowOf = (path: string): string =>
    ROUTES.filter((row) => row.path === path)
      .map(({ method }) => (method === "get" ? "GET, HEAD" : method.toUpperCase()))
      .join(", ");

  it.each(paths)("%s lists its allowed methods", async (path) => {
    const allow = allowOf(path);
    for (const method of ["PUT", "DELETE", "OPTIONS", "TRACE"]) {
      if (allow.includes(method)) continue;
      const { status, headers, text } = await ask(method, filled(path));
      expect([method, status, headers["allow"], JSON.parse(text)]).toEqual([
        method,
        405,
        allow,
        { error: `${method} is not allowed here; use ${allow}.`, code: "METHOD_NOT_ALLOWED" },
      ]);
    }
  });

  it.each([
    "/api/v1/servers",
    "/api/v1/servers/up",
    "/api/v1/activity",
    "/api/v1/activity/export",
    "/healthz",
    "/",
  ])("%s answers HEAD like GET, without a body", async (path) => {
    const [get, head] = [await ask("GET", path), await ask("HEAD", path)];
    const { date: _, ...headers } = head.headers;
    expect([head.status, head.text]).toEqual([get.status, ""]);
    expect(get.headers).toMatchObject(headers);
  });

  it.each([
    ["/api/v1/servers/", 200],
    ["/api/v1/servers//", 404],
    ["/api/v1/servers/%E0%A4%A", 404],
    ["/api/v1/servers/__proto__", 404],
    ["/api/v1/servers/u%70", 200],
    ["/api/v1/servers/up/other", 404],
    ["/api/v1/servers/up/tools/t", 404],
    ["/api/v1/settings/x", 404],
    ["/api/v1/servers/../settings", 404],
    ["/%61pi/v1/settings", 404],
    ["/api/v1", 404],
    ["/api/v1/", 404],
    ["/API/v1/settings", 404],
    ["/metrics/x", 404],
  ])("%s returns %d", async (path, status) => {
    const answer = await ask("GET", path);
    expect([answer.status, answer.headers["content-type"]]).toEqual([
      status,
      expect.stringMatching(/^application\/json/),
    ]);
    if (status === 404) expect(JSON.parse(answer.text)).toMatchObject({ code: "NOT_FOUND" });
  });
});

it("survives a client that leaves in the middle of its body", async () => {
  const socket = connect(touchstone.gateway.port, "127.0.0.1");
  const head = "POST /api/v1/sign-in HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json";
  socket.write(`${head}\r\nContent-Length: 100\r\n\r\n{`, () => socket.destroy());
  await touchstone.line(/a client left before its request was complete/);
  expect(touchstone.lines.join("\n")).not.toMatch(/touchstone error/);
});

it("loads the app only with the first request", () => {
  const built = (name: string): string =>
    readFileSync(new URL(`../../dist/${name}`, import.meta.url), "utf8");
  const seen = new Set<string>();
  const load = (name: string): void => {
    if (seen.has(name)) return;
    seen.add(name);
    for (const [, path = ""] of built(name).matchAll(/^(?:import|export)\b[^;"]*?"([^"]+)";?$/gm)) {
      if (path.startsWith(".")) load(new URL(path, `file:///${name}`).pathname.slice(1));
      else seen.add(path);
    }
  };
  for (const entry of ["gateway.js", "wrap.js"]) load(entry);
  const ofApp = /http\/router|app\.js/;
  expect([...seen].filter((name) => ofApp.test(name))).toEqual([]);
  expect(seen.has("node:http")).toBe(true);
  load("chunks/app.js");
  expect([...seen].filter((name) => ofApp.test(name))).toEqual([
    "chunks/app.js",
    "@touchstone/http/router",
  ]);
});
