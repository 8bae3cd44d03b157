import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FAULTY_SERVER } from "../../testing/fixtures.ts";
import { startTestGateway, type TestGateway } from "../../testing/gateway.ts";
import { MOUNTS, ROUTES } from "../routes.ts";

const API_KEY = "sixteen-characters-or-more";
const KEY = { "x-api-key": API_KEY };

/**
 * The paths of all routes, and of everything that is mounted: the console, and the tool API of each server and of all
 * servers.
 */
const filled = (path: string): string =>
  path.replace("{server}", "faulty").replaceAll(/\{\w+\}/g, "x");
const routes = ROUTES.map(({ path }) => filled(path));
const mounts = MOUNTS.flatMap(({ mount }) =>
  mount.endsWith("*") ? [mount.slice(0, -2), mount.replace("*", "faulty/x")] : [mount],
);
/** MCP itself, further paths of the mounted handlers, and paths that do not exist. */
const beside = [
  "/mcp/faulty",
  "/mcp/unknown",
  "/tools/faulty:echo",
  ...["", "tools", "tools/echo", "validate", "openapi.json"].map(
    (path) => `/servers/faulty/${path}`,
  ),
  "/servers/unknown/",
  "/assets/none.js",
  "/nothing/here",
  // Not a valid form of a request target (RFC 9112, section 3.2).
  "*",
  "//tools",
  "/servers/../api/v1/settings",
  "/%61pi/v1/settings",
];
const paths = [...new Set([...routes, ...mounts, ...beside])];
const METHODS = ["GET", "POST", "PATCH", "DELETE"];
/** Probes of balancers: they have neither a key nor a name that is known here. */
const PROBES = new Set(["/healthz", "/readyz"]);
/** The console's own files, and the pages that lead to an identity provider, which contain nothing about any server. */
const OPEN = new Set([
  ...["/", "/assets", "/assets/faulty/x", "/assets/none.js"].map((path) => `GET ${path}`),
  ...["/playground", "/playground/faulty/x"].map((path) => `GET ${path}`),
  ...["/api/v1/sign-in/oidc", "/api/v1/sign-in/oidc/faulty/x"].map((path) => `GET ${path}`),
]);
/** Operations that check a secret in the request instead of the key. */
const OWN_SECRET = new Set(
  ROUTES.filter(({ access }) => access === "own secret").map(
    ({ method, path }) => `${method.toUpperCase()} ${filled(path)}`,
  ),
);

/** The path at which clients without a key may ask whether they are signed in, and sign out. */
const SESSION = "/api/v1/session";

let touchstone: TestGateway;

beforeAll(async () => {
  touchstone = await startTestGateway({
    mcpServers: { faulty: { command: process.execPath, args: [FAULTY_SERVER] } },
    auth: { api_key: API_KEY },
    telemetry: { metrics: true },
    http: { allow_execute: true },
  });
});
afterAll(() => touchstone.close());

/** Sends a request with any `Host`, which pages in browsers cannot set. */
function statusOf(method: string, path: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const { port } = touchstone.gateway;
    const sent = request({ host: "127.0.0.1", port, method, path, headers }, (response) => {
      resolve(response.statusCode ?? 0);
      response.destroy();
    });
    sent.once("error", reject);
    sent.end();
  });
}

const cases = paths.flatMap((path) => METHODS.map((method) => [method, path] as const));

describe("access to routes", () => {
  it("is decided for every route", () => {
    expect(paths).toContain("/metrics");
    expect(paths).toContain("/api/v1/activity/export");
    expect(paths.length).toBeGreaterThan(30);
    expect([...OWN_SECRET]).toEqual([
      "POST /api/v1/sign-in",
      "POST /api/v1/sign-in/codes",
      ...["GET", "POST", "DELETE"].map((method) => `${method} ${SESSION}`),
      "GET /api/v1/sign-in/oidc/x/refusal",
    ]);
  });

  it.each(cases)("%s %s", async (method, path) => {
    const asked = {
      withoutKey: await statusOf(method, path, {}),
      withAnotherKey: await statusOf(method, path, { "x-api-key": "another" }),
      fromAnotherHost: await statusOf(method, path, { ...KEY, host: "elsewhere.example" }),
      fromAnotherOrigin: await statusOf(method, path, {
        ...KEY,
        origin: "https://elsewhere.example",
      }),
    };
    if (PROBES.has(path)) {
      expect(Object.values(asked)).toEqual([200, 200, 200, 200]);
      return;
    }
    expect(asked).toMatchObject({ fromAnotherHost: 403, fromAnotherOrigin: 403 });
    if (OPEN.has(`${method} ${path}`)) return;
    if (path === SESSION && method !== "POST" && method !== "PATCH") {
      expect(asked).toMatchObject({ withoutKey: 200, withAnotherKey: 200 });
      return;
    }
    if (OWN_SECRET.has(`${method} ${path}`)) {
      expect(Math.min(asked.withoutKey, asked.withAnotherKey)).toBeGreaterThanOrEqual(400);
      return;
    }
    expect(asked).toMatchObject({ withoutKey: 401, withAnotherKey: 401 });
  });

  it("answers no preflight from a foreign origin", async () => {
    for (const path of paths) {
      const preflight = { "access-control-request-method": "POST", origin: "https://e.example" };
      const status = await statusOf("OPTIONS", path, preflight);
      expect([path, status]).toEqual([path, PROBES.has(path) ? 200 : 403]);
    }
  });
});
