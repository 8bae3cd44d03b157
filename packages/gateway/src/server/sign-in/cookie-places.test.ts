import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FAULTY_SERVER } from "../../testing/fixtures.ts";
import { startTestGateway, type TestGateway } from "../../testing/gateway.ts";
import { MOUNTS, ROUTES } from "../routes.ts";
import { Browser, FROM_CONSOLE, send } from "./testing/browser.ts";

const ADMIN = "key-of-adam-admin";
const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"] as const;

const filled = (path: string): string =>
  path.replace("{server}", "faulty").replaceAll(/\{\w+\}/g, "x");
const paths = [
  ...new Set([
    ...ROUTES.map(({ path }) => filled(path)),
    ...MOUNTS.map(({ mount }) => mount.replace("*", "faulty/tools")),
    "/mcp/faulty",
    "/mcp/faulty/",
    "/mcp/none",
    "/tools",
    "/tools/faulty:echo",
    "/tools/faulty:echo/call",
    "/servers/faulty/tools",
    "/servers/faulty/tools/echo/call",
    "/servers/faulty/openapi.json",
    "/api/v1/tools-api/tools",
    "/api/v1/tools-api/tools/faulty:echo/call",
    "/api/v1/tools-api/servers/faulty/tools/echo",
    "/api/v1",
    "/api/v2/settings",
    "/%61pi/v1/settings",
    "/API/v1/settings",
    "//api/v1/settings",
    "/servers/../api/v1/settings",
    "*",
  ]),
];
/** Returns whether the cookie is valid at a path. */
const counts = (path: string): boolean => path.startsWith("/api/v1/");

let touchstone: TestGateway;
let base: string;
let cookie: string;

beforeAll(async () => {
  touchstone = await startTestGateway({
    mcpServers: { faulty: { command: process.execPath, args: [FAULTY_SERVER] } },
    auth: { keys: [{ name: "adam", key: ADMIN, role: "admin" }] },
    http: { allow_execute: true },
    telemetry: { metrics: true },
    listen: { address: "127.0.0.1:0", allowed_origins: ["https://app.example"] },
  });
  base = touchstone.gateway.url;
  const browser = new Browser(base);
  await browser.signIn({ key: ADMIN });
  ({ cookie } = browser);
});
afterAll(() => touchstone.close());

const statusOf = async (
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<number> => (await send(base, method, path, headers)).status;

/** Returns whether a request ends the session, so that it must come last. */
const endsIt = (method: string, path: string): boolean =>
  method === "DELETE" && path === "/api/v1/session";
const cases = METHODS.flatMap((method) => paths.map((path) => [method, path] as const)).filter(
  ([method, path]) => !endsIt(method, path),
);

it.each(METHODS)("the cookie counts below /api/v1/ only: %s", async (method) => {
  for (const [, path] of cases.filter(([of]) => of === method)) {
    const without = await statusOf(method, path, FROM_CONSOLE);
    const status = await statusOf(method, path, { ...FROM_CONSOLE, cookie });
    if (!counts(path)) expect([method, path, status]).toEqual([method, path, without]);
    else expect([method, path, status === 401]).toEqual([method, path, false]);
  }
});

it("the cookie opens no MCP session, no subscription and no WebSocket", async () => {
  const body = {
    ...{ jsonrpc: "2.0", id: 1, method: "initialize" },
    params: {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "x", version: "1" },
    },
  };
  const own = { ...FROM_CONSOLE, cookie, accept: "application/json, text/event-stream" };
  expect((await send(base, "POST", "/mcp/faulty", own, body)).status).toBe(401);
  expect((await send(base, "GET", "/mcp/faulty", own)).status).toBe(401);
  const upgrade = { connection: "Upgrade", upgrade: "websocket", "sec-websocket-version": "13" };
  expect(await statusOf("GET", "/mcp/faulty", { ...own, ...upgrade })).toBe(401);
});

describe("the cookie is ignored below /api/v1/", () => {
  const { "sec-fetch-site": _, ...plain } = FROM_CONSOLE;
  it.each<[string, (port: number) => Record<string, string>, number]>([
    ["not for the console's own request", () => ({ ...FROM_CONSOLE }), 200],
    ["not for one of a browser that sends neither header", () => ({ ...plain }), 200],
    [
      "not for one with its origin",
      (port) => ({ ...plain, origin: `http://127.0.0.1:${port}` }),
      200,
    ],
    ["without the console's header", () => ({ "sec-fetch-site": "same-origin" }), 401],
    ["with another value of it", () => ({ ...FROM_CONSOLE, "x-touchstone-console": "0" }), 401],
    ["with two values of it", () => ({ ...FROM_CONSOLE, "x-touchstone-console": "1, 1" }), 401],
    ["from another port of this host", () => ({ ...plain, origin: "http://127.0.0.1:1" }), 401],
    ["from another scheme and port", () => ({ ...plain, origin: "https://127.0.0.1" }), 401],
    ["from another site that may call", () => ({ ...plain, origin: "https://app.example" }), 401],
    [
      "from the same site, by Sec-Fetch-Site",
      () => ({ ...plain, "sec-fetch-site": "same-site" }),
      401,
    ],
    ["for a navigation", () => ({ ...plain, "sec-fetch-site": "none" }), 401],
    ["for an unknown Sec-Fetch-Site", () => ({ ...plain, "sec-fetch-site": "SAME-ORIGIN" }), 401],
    ["with a wrong key", () => ({ ...FROM_CONSOLE, "x-api-key": "wrong" }), 401],
    ["with an empty key", () => ({ ...FROM_CONSOLE, "x-api-key": "" }), 401],
    ["with any Authorization", () => ({ ...FROM_CONSOLE, authorization: "Basic eA==" }), 401],
  ])("%s", async (_name, headers, expected) => {
    const own = headers(touchstone.gateway.port);
    for (const path of ["/api/v1/settings", "/api/v1/tools-api/tools"]) {
      expect([path, await statusOf("GET", path, { ...own, cookie })]).toEqual([path, expected]);
    }
    const change = "/api/v1/config/edits/none/undo";
    const changed = await statusOf("POST", change, { ...own, cookie });
    expect(changed === 401).toBe(expected === 401);
  });
});

describe("a page of another origin", () => {
  it("is granted no preflight for the console's header, even if it is configured", async () => {
    const asked = {
      origin: "https://app.example",
      "access-control-request-method": "GET",
      "access-control-request-headers": "x-touchstone-console",
    };
    const { status, headers } = await send(base, "OPTIONS", "/api/v1/settings", asked);
    expect(status).toBe(204);
    expect(headers["access-control-allow-headers"]).not.toMatch(/touchstone/i);
    expect(headers["access-control-allow-credentials"]).toBeUndefined();
  });

  it("cannot sign a browser in, or out", async () => {
    for (const headers of [
      {},
      { ...FROM_CONSOLE, "sec-fetch-site": "same-site" },
      { "x-touchstone-console": "1", origin: "http://127.0.0.1:1" },
    ]) {
      const made = await send(base, "POST", "/api/v1/session", headers, { key: ADMIN });
      expect([made.status, made.cookies]).toEqual([403, []]);
      await send(base, "DELETE", "/api/v1/session", { ...headers, cookie });
    }
    expect(await statusOf("GET", "/api/v1/settings", { ...FROM_CONSOLE, cookie })).toBe(200);
  });
});
