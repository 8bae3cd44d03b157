import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { FAULTY_SERVER } from "../testing/fixtures.ts";
import { startTestGateway, type TestGateway } from "../testing/gateway.ts";
import {
  type HttpUpstreamServer,
  initialize,
  modern,
  post,
  request,
  startHttpUpstream,
} from "../testing/http.ts";
import { type AdminGateway, startAdminGateway } from "./admin/testing/admin-gateway.ts";
import { MOUNTS, ROUTES } from "./routes.ts";
import { OIDC_PATH } from "./sign-in/oidc/pages.ts";

const hashed = (key: string): string =>
  `sha256:${createHash("sha256").update(key).digest("hex").toUpperCase()}`;
const KEYS = {
  caller: "key-of-alice",
  second: "second-key-of-alice",
  bob: "key-of-bob",
  viewer: "key-of-vera",
  admin: "key-of-adam",
  limited: "key-of-rita",
  limited_too: "second-key-of-rita",
  small: "key-of-sam",
  api_key: "key-of-everybody",
  admin_key: "key-of-operator",
  /** Set when the gateway runs. */
  link: "token-of-a-link",
  none: undefined,
  wrong: "key-of-nobody",
} as const;
type Who = keyof typeof KEYS;
const as = (who: Who): Record<string, string> => {
  const key = who === "link" ? linkToken : KEYS[who];
  return key === undefined ? {} : { authorization: `Bearer ${key}` };
};
const AUTH = {
  api_key: KEYS.api_key,
  admin_key: KEYS.admin_key,
  keys: [
    { name: "alice", key: KEYS.caller },
    { name: "alice", key: hashed(KEYS.second) },
    { name: "bob", key: hashed(KEYS.bob), servers: ["web"], tools: ["work"], read_only: true },
    { name: "vera", key: KEYS.viewer, role: "viewer" },
    { name: "adam", key: KEYS.admin, role: "admin" },
    { name: "rita", key: KEYS.limited, limits: { calls_per_minute: 5 } },
    { name: "rita", key: KEYS.limited_too, limits: { calls_per_minute: 5 } },
    { name: "sam", key: KEYS.small, limits: { result_bytes: 400 } },
  ],
};
const FAULTY = { command: process.execPath, args: [FAULTY_SERVER] };

const TASK = {
  taskId: "t1",
  status: "working",
  createdAt: "2026-01-01T00:00:00Z",
  lastUpdatedAt: "2026-01-01T00:00:00Z",
  ttl: 60_000,
  ttlMs: 60_000,
};

/** A server that allows one session at a time, makes tasks, and has a stream with event ids. */
async function startWeb(): Promise<HttpUpstreamServer> {
  let sessions = 0;
  return startHttpUpstream(({ method: verb, body, headers }, response) => {
    if (verb === "GET") {
      const id = headers["last-event-id"] ?? headers["mcp-session-id"] ?? "none";
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(
        `id: e-${String(id)}\ndata: ${JSON.stringify({ jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: id } })}\n\n`,
      );
      return;
    }
    const { id, method, params } = JSON.parse(body || "{}");
    if (verb === "DELETE" || id === undefined) {
      response.writeHead(202).end();
      return;
    }
    sessions += method === "initialize" ? 1 : 0;
    const begun = method === "initialize" ? { "mcp-session-id": `s${sessions}` } : {};
    const isModern = params?._meta !== undefined;
    const created = isModern ? { resultType: "task", ...TASK } : { task: TASK };
    const results: Readonly<Record<string, object>> = {
      initialize: {
        protocolVersion: "2025-11-25",
        capabilities: { tasks: { list: {} }, tools: {} },
        serverInfo: { name: "s", version: "1" },
      },
      "tools/list": {
        tools: [
          { name: "work", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } },
        ],
        ...(isModern ? { resultType: "complete", ttlMs: 0, cacheScope: "private" } : {}),
      },
      "tools/call": created,
      "tasks/get": isModern ? { resultType: "complete", ...TASK } : TASK,
      "tasks/cancel": { ...TASK, status: "cancelled" },
      "tasks/result": { content: [] },
      "tasks/list": { tasks: [TASK] },
    };
    response.writeHead(200, { "content-type": "application/json", ...begun });
    response.end(JSON.stringify({ jsonrpc: "2.0", id, result: results[method] ?? {} }));
  });
}

let touchstone: AdminGateway;
let linkToken = "";
let web: HttpUpstreamServer;

beforeAll(async () => {
  web = await startWeb();
  touchstone = await startAdminGateway(
    JSON.stringify({
      mcpServers: { faulty: FAULTY, web: { url: web.url } },
      auth: AUTH,
      http: { allow_execute: true },
      telemetry: { metrics: true },
    }),
  );
  linkToken = await touchstone.signedIn();
});
afterAll(async () => {
  await touchstone.close();
  await web.close();
});

interface Response {
  readonly status: number;
  readonly code: string | undefined;
  readonly text: string;
}

async function ask(method: string, path: string, who: Who, body?: object): Promise<Response> {
  const left = new AbortController();
  const response = await fetch(`http://127.0.0.1:${touchstone.gateway.port}${path}`, {
    method,
    headers: { ...as(who), ...(body === undefined ? {} : { "content-type": "application/json" }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: left.signal,
  });
  // A stream of events does not end.
  const isStream = response.headers.get("content-type")?.includes("event-stream") === true;
  const text = isStream ? "" : await response.text();
  left.abort();
  const code = /^\{.*"code":"(\w+)"/.exec(text)?.[1];
  return { status: response.status, code, text };
}

const FOR_CALLERS = {
  api_key: 403,
  caller: 403,
  second: 403,
  bob: 403,
  limited: 403,
  limited_too: 403,
  small: 403,
} as const;

/** The status that each role gets: `in` if access is allowed, whatever the route then responds. */
const EXPECTED: Readonly<Record<string, Readonly<Record<Who, "in" | 401 | 403>>>> = {
  anyone: { ...all("in"), none: "in", wrong: "in" },
  // The operation checks a secret of its own, which these requests lack.
  "own secret": { ...all(403), none: 403, wrong: 403 },
  caller: all("in"),
  viewer: { ...all("in"), ...FOR_CALLERS },
  admin: { ...all("in"), ...FOR_CALLERS, viewer: 403 },
};

function all(what: "in" | 403): Readonly<Record<Who, "in" | 401 | 403>> {
  const known = (Object.keys(KEYS) as Who[]).filter((who) => who !== "none" && who !== "wrong");
  const entries = known.map((who) => [who, what] as const);
  return { ...(Object.fromEntries(entries) as Record<Who, "in">), none: 401, wrong: 401 };
}

const rows = [
  ...ROUTES.map(({ method, path, access }) => ({
    method: method.toUpperCase(),
    path: path.replace("{server}", "web").replaceAll(/\{\w+\}/g, "x"),
    access: access as string,
  })),
  ...MOUNTS.filter(
    ({ mount }) => mount.endsWith("*") && !/^\/(?:assets|playground)\//.test(mount),
  ).map(({ mount }) => ({
    method: "GET",
    path: mount.replace("*", "web/tools"),
    // A client that comes from the sign-in page has no key yet.
    access: mount.startsWith(OIDC_PATH) ? "anyone" : "caller",
  })),
  { method: "GET", path: "/tools", access: "caller" },
  { method: "GET", path: "/servers/web/openapi.json", access: "caller" },
  { method: "POST", path: "/mcp/web", access: "caller" },
  { method: "GET", path: "/mcp/web", access: "caller" },
  { method: "DELETE", path: "/mcp/web", access: "caller" },
];

describe("every route and role", () => {
  it("are all covered", () => {
    // Among the mounts, only the console's own files are open to everybody.
    expect(rows.length).toBe(ROUTES.length + MOUNTS.length - 3 + 5);
    expect(new Set(rows.map(({ access }) => access))).toEqual(new Set(Object.keys(EXPECTED)));
  });

  it.each(rows)("$method $path is allowed to the right roles", async ({ method, path, access }) => {
    const got: Record<string, unknown> = {};
    for (const who of Object.keys(KEYS) as Who[]) {
      const { status, code } = await ask(method, path, who);
      const isRefused = status === 401 || code === "ROLE_REQUIRED" || code === "SIGN_IN_REFUSED";
      got[who] = isRefused ? status : "in";
    }
    const expected = EXPECTED[access] ?? {};
    // The operation checks the body first.
    if (path === "/api/v1/sign-in") expect(Object.values(got)).not.toContain(200);
    // Everybody may ask whether they are signed in, sign in and sign out.
    else if (path === "/api/v1/session" || path.endsWith("/refusal"))
      expect(new Set(Object.values(got))).toEqual(new Set(["in"]));
    else expect(got).toEqual(expected);
  });

  it.each<[Who, number, string | undefined]>([
    ["caller", 403, "ROLE_REQUIRED"],
    ["viewer", 403, "ROLE_REQUIRED"],
    ["api_key", 403, "ROLE_REQUIRED"],
    ["admin", 200, undefined],
    ["admin_key", 200, undefined],
    ["link", 200, undefined],
  ])("may change servers or not: %s", async (who, status, code) => {
    const action = { kind: "server", name: "new", entry: { command: "x" } };
    const answer = await ask("POST", "/api/v1/config/proposals", who, { action });
    expect([answer.status, answer.code]).toEqual([status, code]);
    if (code === "ROLE_REQUIRED") {
      expect(JSON.parse(answer.text)).toMatchObject({
        role: "admin",
        error: expect.stringMatching(
          /^Changes need the role admin, and this key has the role (caller|viewer)\. Send a key of auth\.keys with "role": "admin", or auth\.admin_key/,
        ),
      });
    }
  });

  it("shows callers in the settings, without their keys", async () => {
    const { text } = await ask("GET", "/api/v1/settings", "viewer");
    expect(JSON.parse(text)).toMatchObject({
      auth: {
        apiKey: "set",
        callers: [
          { name: "alice", role: "caller", keys: 2 },
          {
            name: "bob",
            role: "caller",
            keys: 1,
            servers: ["web"],
            tools: ["work"],
            readOnly: true,
          },
          { name: "vera", role: "viewer", keys: 1 },
          { name: "adam", role: "admin", keys: 1 },
          { name: "rita", role: "caller", keys: 2, callsPerMinute: 5 },
          { name: "sam", role: "caller", keys: 1, resultBytes: 400 },
        ],
      },
    });
    for (const key of Object.values(KEYS)) if (key !== undefined) expect(text).not.toContain(key);
    expect(text.toUpperCase()).not.toContain(hashed(KEYS.bob).slice(7));
  });
});

describe("a gateway without keys", () => {
  let open: AdminGateway;
  let token: string;
  beforeAll(async () => {
    open = await startAdminGateway(
      JSON.stringify({ mcpServers: { web: { url: web.url } }, telemetry: { metrics: true } }),
    );
    token = await open.signedIn();
  });
  afterAll(() => open.close());

  it.each(rows)("lets everybody call and read, but not change: $method $path", async (row) => {
    const statusOf = async (headers: Record<string, string>): Promise<[number, string]> => {
      const left = new AbortController();
      const url = `http://127.0.0.1:${open.gateway.port}${row.path}`;
      const response = await fetch(url, { method: row.method, headers, signal: left.signal });
      const isStream = response.headers.get("content-type")?.includes("event-stream") === true;
      const text = isStream ? "" : await response.text();
      left.abort();
      return [response.status, /"code":"(\w+)"/.exec(text)?.[1] ?? ""];
    };
    const [status, code] = await statusOf({});
    if (row.access === "admin") expect([status, code]).toEqual([401, "TOKEN_REQUIRED"]);
    else expect([status === 401, code === "ROLE_REQUIRED"]).toEqual([false, false]);
    const [signedIn, answered] = await statusOf({ authorization: `Bearer ${token}` });
    expect([signedIn === 401, answered === "ROLE_REQUIRED"]).toEqual([false, false]);
  });
});

describe("a server that a caller may not use", () => {
  it.each([
    ["POST", "/mcp/faulty"],
    ["GET", "/mcp/faulty"],
    ["DELETE", "/mcp/faulty"],
    ["POST", "/mcp/f%61ulty"],
    ["GET", "/servers/faulty/tools"],
    ["POST", "/servers/faulty/tools/echo/call"],
    ["GET", "/servers/faulty/openapi.json"],
    ["GET", "/tools/faulty:echo"],
    ["POST", "/tools/faulty:echo/call"],
  ])("is answered by %s %s as if it did not exist", async (method, path) => {
    const there = await ask(method, path, "bob");
    const other = await ask(method, path.replace(/f(a|%61)ulty/, "nobody"), "bob");
    expect([there.status, there.text.replaceAll("faulty", "nobody")]).toEqual([404, other.text]);
    expect(there.text.replaceAll(/"?(faulty|f%61ulty)(:echo)?"?/g, "")).not.toContain("faulty");
    expect((await ask(method, path, "caller")).status).not.toBe(404);
  });

  it("is unknown to the call check, which applies the rules of the key", async () => {
    const check = async (who: Who, server: string, tool: string) => {
      const call = { server, tool, arguments: {} };
      const { status, code, text } = await ask("POST", "/api/v1/check", who, call);
      return status === 200 ? (JSON.parse(text) as { decision: string }).decision : code;
    };
    expect(await check("bob", "faulty", "echo")).toBe("NOT_FOUND");
    expect(await check("bob", "nobody", "echo")).toBe("NOT_FOUND");
    expect(await check("bob", "web", "work")).toBe("allowed");
    expect(await check("bob", "web", "other")).toBe("blocked");
    expect(await check("caller", "web", "work")).toBe("allowed");
  });

  it("is in none of its lists", async () => {
    const names = async (who: Who) => {
      const { text } = await ask("GET", "/tools", who);
      return (JSON.parse(text) as { name: string }[]).map(({ name }) => name);
    };
    // Starts the server first, because the combined list does not wait for slow servers.
    expect((await ask("GET", "/servers/faulty/tools", "caller")).status).toBe(200);
    expect(await names("bob")).toEqual(["web:work"]);
    expect(await names("caller")).toEqual(expect.arrayContaining(["web:work", "faulty:echo"]));
    expect((await ask("GET", "/nothing", "bob")).text).not.toContain("faulty");
  });
});

/** Headers of somebody's session at a server. */
const session = (server: string, who: Who): Promise<Record<string, string>> =>
  initialize(touchstone.url(server), undefined, { headers: as(who) });

describe.each(["faulty", "web"])("a session of %s", (server) => {
  it("belongs to its caller under any of its keys, and others cannot find it", async () => {
    const url = touchstone.url(server);
    const own = await session(server, "caller");
    const statusOf = async (method: string, who: Who, body?: object) => {
      const left = new AbortController();
      const response = await fetch(url, {
        method,
        headers: {
          ...own,
          ...as(who),
          accept: "application/json, text/event-stream",
          ...(body === undefined ? {} : { "content-type": "application/json" }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: left.signal,
      });
      left.abort();
      return response.status;
    };
    const list = request(1, "tools/list");
    for (const who of ["viewer", "admin", "api_key", "admin_key"] as const) {
      expect([who, await statusOf("POST", who, list)]).toEqual([who, 404]);
      expect([who, await statusOf("GET", who)]).toEqual([who, 404]);
      expect([who, await statusOf("DELETE", who)]).toEqual([who, 404]);
      // A message that cannot be read does not reach the session, either.
      const broken = await post(url, "{", { ...own, ...as(who) });
      expect(broken.status).toBeGreaterThanOrEqual(400);
    }
    expect(await statusOf("POST", "second", list)).toBe(200);
    expect(await statusOf("DELETE", "second")).toBeLessThan(300);
  });

  it("has its caller in every record", async () => {
    const own = await session(server, "second");
    const name = server === "web" ? "work" : "get_weather";
    await post(touchstone.url(server), request(7, "tools/call", { name, arguments: {} }), {
      ...own,
      ...as("second"),
    });
    const calls = await touchstone.records({ type: "tool_call", server, caller: "alice" });
    expect(calls.at(-1)).toMatchObject({ tool: name, caller: "alice" });
    const others = await touchstone.records({ type: "tool_call", server, caller: "vera" });
    expect(others.filter((record) => record.tool === name)).toEqual([]);
  });
});

it("a session from before the gateway's start belongs to no one if there are callers", async () => {
  const headers = { "mcp-session-id": "s999", "mcp-protocol-version": "2025-11-25" };
  for (const who of ["caller", "api_key"] as const) {
    const answer = await post(touchstone.url("web"), request(1, "tools/list"), {
      ...headers,
      ...as(who),
    });
    expect(answer.status).toBe(404);
  }
});

it("a stream can be resumed only by the session that received its events", async () => {
  const url = touchstone.url("web");
  const [alice, vera] = [await session("web", "caller"), await session("web", "viewer")];
  const stream = async (who: Who, own: Record<string, string>, lastEventId?: string) => {
    const more = lastEventId === undefined ? {} : { "last-event-id": lastEventId };
    const response = await fetch(url, {
      headers: { accept: "text/event-stream", ...own, ...as(who), ...more },
    });
    return [response.status, await response.text()] as const;
  };
  const [, first] = await stream("caller", alice);
  const id = /^id: (.*)$/m.exec(first)?.[1] ?? "";
  expect(id).toMatch(/^e-s\d+$/);
  expect((await stream("viewer", vera, id))[0]).toBe(404);
  expect((await stream("viewer", {}, id))[0]).toBe(404);
  expect((await stream("caller", alice, id))[0]).toBe(200);
});

describe("a task", () => {
  const ABOUT = ["tasks/get", "tasks/result", "tasks/cancel"];

  it("belongs to its caller in sessions with a remote server", async () => {
    const url = touchstone.url("web");
    const [alice, again, vera] = [
      await session("web", "caller"),
      await session("web", "second"),
      await session("web", "viewer"),
    ];
    const work = request(1, "tools/call", { name: "work", arguments: {}, task: { ttl: 60_000 } });
    expect((await post(url, work, { ...alice, ...as("caller") })).text).toContain('"taskId":"t1"');
    for (const method of ABOUT) {
      const about = request(2, method, { taskId: "t1" });
      const foreign = await post(url, about, { ...vera, ...as("viewer") });
      expect([method, foreign.text]).toEqual([
        method,
        expect.stringContaining("no task of this caller has this taskId"),
      ]);
      expect((await post(url, about, { ...again, ...as("second") })).text).toContain('"result"');
    }
    const twice = `{"jsonrpc":"2.0","id":3,"method":"tasks/get","params":{"taskId":"t2","taskId":"t1"}}`;
    expect((await post(url, twice, { ...vera, ...as("viewer") })).text).toContain('"error"');
    const spelled = request(4, "Tasks/Get", { taskId: "t1" });
    expect((await post(url, spelled, { ...vera, ...as("viewer") })).text).toContain('"error"');
    // The gateway is the server's only client, so the server would list the tasks of all callers.
    const list = await post(url, request(5, "tasks/list"), { ...vera, ...as("viewer") });
    expect(list.text).toContain("cannot be listed for one caller");
    const seen = web.seen.filter(({ body }) => /"method":"tasks\//i.test(body));
    expect(seen).toHaveLength(ABOUT.length);
  });

  it("belongs to its caller without sessions", async () => {
    const url = touchstone.url("web");
    const send = (who: Who, method: string, params: Record<string, unknown>) => {
      const { body, headers } = modern(method, params, {
        meta: {
          "io.modelcontextprotocol/clientCapabilities": {
            extensions: { "io.modelcontextprotocol/tasks": {} },
          },
        },
      });
      return post(url, body, { ...headers, ...as(who) });
    };
    const made = await send("viewer", "tools/call", { name: "work", arguments: {} });
    expect(made.text).toContain('"taskId":"t1"');
    expect((await send("viewer", "tasks/get", { taskId: "t1" })).text).toContain('"result"');
    expect((await send("admin", "tasks/get", { taskId: "t1" })).text).toContain(
      "no task of this caller",
    );
    expect((await send("api_key", "tasks/get", { taskId: "t1" })).text).toContain(
      "no task of this caller",
    );
  });
});

it("a key is never sent to a server, not even with forward_authorization or in another header form", async () => {
  const upstream = await startWeb();
  onTestFinished(() => upstream.close());
  const gateway: TestGateway = await startTestGateway({
    mcpServers: { web: { url: upstream.url } },
    forward_authorization: true,
    auth: AUTH,
  });
  onTestFinished(() => gateway.close());
  const key = { "x-api-key": KEYS.caller };
  const sent = [
    { authorization: `Bearer ${KEYS.caller}` },
    { ...key, authorization: `Bearer ${KEYS.bob}` },
    { ...key, authorization: `bearer  ${KEYS.admin_key}` },
    { ...key, authorization: KEYS.api_key },
    { ...key, authorization: `Bearer ${KEYS.viewer}, Bearer other` },
    { ...key, authorization: `Token ${KEYS.second}` },
  ];
  for (const headers of sent) {
    const { body, headers: more } = modern("tools/list");
    expect((await post(gateway.url("web"), body, { ...more, ...headers })).status).toBe(200);
  }
  const { body, headers: more } = modern("tools/list");
  await post(gateway.url("web"), body, { ...more, ...key, authorization: "Bearer upstreams-own" });
  expect(new Set(upstream.seen.map(({ headers }) => headers.authorization))).toEqual(
    new Set([undefined, "Bearer upstreams-own"]),
  );
  const everything = JSON.stringify([upstream.seen, gateway.lines, await gateway.records()]);
  for (const secret of Object.values(KEYS)) {
    if (secret !== undefined) expect(everything).not.toContain(secret);
  }
});

it("a call through the tool API is recorded with its caller", async () => {
  const answer = await ask("POST", "/servers/faulty/tools/get_weather/call", "viewer", {
    city: "Oslo",
  });
  expect(answer.status).toBe(200);
  const bad = await ask("POST", "/servers/faulty/tools/get_weather/call", "viewer", { city: 7 });
  expect(bad.text).toContain('"isError":true');
  const records = await touchstone.records({ caller: "vera" });
  expect(records).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ type: "tool_call", server: "faulty", source: "gateway" }),
      expect.objectContaining({ type: "policy_decision", server: "faulty", source: "http" }),
    ]),
  );
});

it("a caller's calls are counted over all routes, servers and keys", async () => {
  const mcp = (who: Who, server: string, name: string) => async () => {
    const { body, headers } = modern("tools/call", { name, arguments: { city: "Oslo" } });
    return post(touchstone.url(server), body, { ...headers, ...as(who) });
  };
  const api = (who: Who, path: string) => () => ask("POST", path, who, { city: "Oslo" });
  const doors = [
    mcp("limited", "faulty", "get_weather"),
    mcp("limited_too", "web", "work"),
    api("limited_too", "/servers/faulty/tools/get_weather/call"),
    api("limited", "/tools/faulty:get_weather/call"),
  ];
  const refusal = expect.stringMatching(
    /5 calls per minute of this caller is reached .* try again in \d+ s.*"isError":true/,
  );
  const bad = () => ask("POST", "/tools/faulty:get_weather/call", "limited", { city: 7 });
  expect((await bad()).text).toContain("/city");
  for (const door of doors) expect((await door()).text).not.toContain("calls per minute");
  for (const door of doors) expect((await door()).text).toEqual(refusal);
  const over = await bad();
  expect(over.status).toBe(429);
  expect(over.text).toEqual(refusal);
  expect(over.text).not.toContain("/city");
  expect((await mcp("caller", "web", "work")()).text).toContain("t1");
  const calls = await touchstone.records({ type: "tool_call", caller: "rita" });
  expect(calls.map(({ status }) => status === "limited")).toEqual([
    false,
    ...doors.map(() => false),
    ...doors.map(() => true),
    true,
  ]);
});

it("a result over its caller's size limit is withheld on every route", async () => {
  const text = "x".repeat(500);
  const rejected = "is over the limit of 400 bytes of this caller";
  const url = touchstone.url("faulty");
  const own = await session("faulty", "small");
  const params = { name: "echo", arguments: { text } };
  const { body, headers } = modern("tools/call", params);
  const doors = {
    modern: await post(url, body, { ...headers, ...as("small") }),
    legacy: await post(url, request(1, "tools/call", params), { ...own, ...as("small") }),
    server: await ask("POST", "/servers/faulty/tools/echo/call", "small", { text }),
    tools: await ask("POST", "/tools/faulty:echo/call", "small", { text }),
  };
  for (const [door, answer] of Object.entries(doors)) {
    expect([door, answer.text]).toEqual([door, expect.stringContaining(rejected)]);
    expect(answer.text).toContain('"isError":true');
    expect(answer.text).not.toContain(text);
  }
  const whole = await ask("POST", "/servers/faulty/tools/echo/call", "caller", { text });
  expect(whole.text).toContain(text);
  const calls = await touchstone.records({ type: "tool_call", caller: "sam" });
  expect(calls.map(({ status }) => status)).toEqual(Object.keys(doors).map(() => "limited"));
});

it("a removed key ends its streams, and is refused from then on", async () => {
  const gateway = await startTestGateway({ mcpServers: { faulty: FAULTY }, auth: AUTH });
  onTestFinished(() => gateway.close());
  const base = `http://127.0.0.1:${gateway.gateway.port}/api/v1/activity`;
  const response = await fetch(`${base}/events`, { headers: as("viewer") });
  expect(response.status).toBe(200);
  const { parseConfig } = await import("../config/load.ts");
  const keys = AUTH.keys.filter(({ name }) => name !== "vera");
  const text = JSON.stringify({
    listen: { address: "127.0.0.1:0" },
    mcpServers: { faulty: FAULTY },
    auth: { ...AUTH, keys },
  });
  const changes = await gateway.gateway.reload(parseConfig(text, { file: "f", env: {} }));
  expect(changes).toEqual(["the keys of callers have changed"]);
  await expect(response.text()).rejects.toThrow();
  expect((await fetch(base, { headers: as("viewer") })).status).toBe(401);
  expect((await fetch(base, { headers: as("admin") })).status).toBe(200);
  expect(await initialize(gateway.url("faulty")).catch(String)).toContain("no session");
});

it("hides a key that the configuration has by its hash, once a request had it", async () => {
  const key = "agent-key-0123456789";
  const gateway = await startTestGateway({
    auth: { keys: [{ name: "agent", key: hashed(key) }] },
    mcpServers: { faulty: { ...FAULTY, touchstone: { input_validation: { mode: "strict" } } } },
  });
  onTestFinished(() => gateway.close());
  const own = { "x-api-key": key };
  const session = await initialize(gateway.url("faulty"), "2025-11-25", { headers: own });
  const params = { name: `tool ${key}`, arguments: {} };
  const call = { jsonrpc: "2.0", id: 7, method: "tools/call", params };
  await post(gateway.url("faulty"), call, { ...own, ...session });
  const [record] = await gateway.records({ type: "policy_decision" });
  expect(record).toMatchObject({ tool: "tool [redacted]", caller: "agent" });
  expect(JSON.stringify(await gateway.records({})) + gateway.lines.join("")).not.toContain(key);
});
