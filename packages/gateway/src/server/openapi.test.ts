import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { SchemaCache } from "@touchstone/core/advanced";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openActivityStore } from "../../../records/src/open-sqlite.ts";
import { ToolContract } from "../contracts/contract.ts";
import { shapeOf } from "../features/drift/testing/shapes.ts";
import { FAULTY_SERVER } from "../testing/fixtures.ts";
import { initialize, post, request } from "../testing/http.ts";
import { type AdminGateway, startAdminGateway } from "./admin/testing/admin-gateway.ts";
import { gatewayOpenapi } from "./routes.ts";

interface Media {
  readonly schema: object;
}
interface Operation {
  readonly operationId: string;
  readonly responses: Readonly<
    Record<string, { readonly content: Readonly<Record<string, Media>> }>
  >;
}
interface Document {
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

const document = gatewayOpenapi() as unknown as Document;
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({
    path,
    method: method.toUpperCase(),
    operation,
  })),
);
const server = { command: process.execPath, args: [FAULTY_SERVER] };
const patch = (body: unknown, headers: Record<string, string> = {}): RequestInit => ({
  method: "PATCH",
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify(body),
});
const PINNED = { kind: "tool", name: "find", hash: "sha256:1", text: "{}" } as const;
const foreign: RequestInit = { headers: { origin: "https://elsewhere.example" } };

let touchstone: AdminGateway;
let record: string;
let change: string;
/** The id of a problem. */
let problem: string;
/** The cookie of a browser that an identity provider did not sign in. */
let refused: string;
let signedIn: string;
let alert: string;
let view: string;

beforeAll(async () => {
  const text = JSON.stringify({
    mcpServers: {
      faulty: server,
      web: { url: "http://127.0.0.1:9/mcp", headers: { "X-A": "b" } },
      off: { command: "x", disabled: true },
    },
    telemetry: { metrics: true },
    // Nothing listens there.
    alerts: [{ when: "schema_change", server: "none", webhook: { url: "http://127.0.0.1:9/" } }],
    auth: {
      // Nothing listens there.
      oidc: {
        ...{ issuer: "http://127.0.0.1:9", client_id: "c", client_secret: "s" },
        roles: { operators: "admin" },
      },
    },
  });
  touchstone = await startAdminGateway(text);
  const url = touchstone.url("faulty");
  const begun = await fetch(new URL("/api/v1/sign-in/oidc/oidc", url), { redirect: "manual" });
  refused = begun.headers.get("set-cookie")?.split(";", 1)[0] ?? "";
  const session = await initialize(url);
  await post(url, request(1, "tools/list", {}), session);
  await post(
    url,
    request(2, "tools/call", { name: "get_weather", arguments: { city: 5 } }),
    session,
  );
  await post(url, request(3, "tools/call", { name: "echo", arguments: {} }), session);
  const [first] = await touchstone.records({ type: "policy_decision" });
  record = first?.id ?? "";
  const { problems } = (await (await ask("/api/v1/problems")).json()) as {
    readonly problems: readonly { readonly id: string }[];
  };
  problem = problems[0]?.id ?? "";
  const store = await openActivityStore({ dataDir: touchstone.dataDir, sync: "normal" });
  const schema =
    '{"properties":{"a":{"type":"integer"},"b":{}},"required":["c"],"additionalProperties":false}';
  const shape = shapeOf({ a: "x", d: 1, "2026-01-01": 1 }, { c: 1 });
  await store.shapes.add([{ server: "crm", tool: "find", schemaHash: "sha256:1", schema, shape }]);
  await store.pins.firstUse("crm", "tool", [PINNED]);
  await store.pins.saw("crm", [{ ...PINNED, hash: "sha256:2" }]);
  const about = {
    type: "policy_decision",
    source: "gateway",
    server: "crm",
    tool: "find",
  } as const;
  await store.append([{ ...about, decision: "repaired", repairs: "drop-nulls at /a" }]);
  const scope = { server: "crm", revision: "r", authorization: "" };
  const [was, is] = ['{"type":"object"}', '{"type":"object","required":["a"]}'].map(
    (input) =>
      new ToolContract({ name: "find", inputSchema: Buffer.from(input) }, new SchemaCache()),
  ) as [ToolContract, ToolContract];
  await store.contracts.replace(scope, [was]);
  await store.contracts.replace(scope, [is]);
  const [changed] = await store.append([
    {
      ...about,
      ...{ type: "schema_change", direction: "input" },
      ...{ schema_hash: is.inputHash, previous_schema_hash: was.inputHash },
    },
  ]);
  change = changed?.id ?? "";
  await store.close();
  const alerts = await ask("/api/v1/alerts");
  alert = ((await alerts.json()) as [{ id: string }])[0].id;
  const saved = await ask("/api/v1/views", {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${touchstone.token}` },
    body: JSON.stringify(VIEW),
  });
  view = ((await saved.json()) as { id: string }).id;
  const response = await ask("/api/v1/session", signIn({ key: touchstone.token }, CONSOLE));
  signedIn = ((await response.json()) as { id: string }).id;
});
afterAll(() => touchstone.close());

const VIEW = { name: "blocked", list: "calls", query: "status:blocked" };
const CONSOLE = { "x-touchstone-console": "1" };
function signIn(body: unknown, headers: Record<string, string> = {}): RequestInit {
  return {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  };
}
const codeOf = (link: string): string => link.split("code=")[1] ?? "";
function localSecret(): Record<string, string> {
  const folder = join(touchstone.dataDir, "gateways");
  const [file = ""] = readdirSync(folder);
  const { secret } = JSON.parse(readFileSync(join(folder, file), "utf8")) as { secret: string };
  return { "x-touchstone-local": secret };
}

/** Requests by operation, with the status that each gets. */
function samples(): Readonly<Record<string, readonly (readonly [number, string, RequestInit?])[]>> {
  const { token } = touchstone;
  const mayWrite = { authorization: `Bearer ${token}` };
  const strict = patch({ output: "strict" }, mayWrite);
  const sent = (body: unknown, headers: Record<string, string> = {}): RequestInit => ({
    ...patch(body, headers),
    method: "POST",
  });
  const ignored = { until: new Date(Date.now() + 86_400_000).toISOString(), reason: "known" };
  const action = { kind: "strict", server: "faulty", tool: "echo" };
  const addition = { kind: "server", name: "new", entry: { command: "node", env: { A: "b" } } };
  const activity = "/api/v1/activity";
  const modes = (path: string): readonly (readonly [number, string, RequestInit?])[] => [
    [200, path, strict],
    [200, path, patch({ output: null }, mayWrite)],
    [400, path, patch({ output: "loud" }, mayWrite)],
    [401, path, patch({ output: "strict" })],
    [403, path, { ...strict, headers: { ...mayWrite, ...foreign.headers } }],
    [413, path, patch({ output: "x".repeat(20_000) }, mayWrite)],
    [415, path, { ...strict, headers: mayWrite }],
  ];
  const decisions = (
    path: string,
    hash: string,
  ): readonly (readonly [number, string, RequestInit?])[] => {
    const pin = { server: "crm", kind: "tool", name: "find", hash };
    return [
      [401, path, sent(pin)],
      [200, path, sent(pin, mayWrite)],
      [404, path, sent(pin, mayWrite)],
      [400, path, sent({ ...pin, kind: "other" }, mayWrite)],
      [413, path, sent({ ...pin, name: "x".repeat(20_000) }, mayWrite)],
      [415, path, { method: "POST", headers: mayWrite, body: "{}" }],
    ];
  };
  return {
    getHealth: [[200, "/healthz"]],
    getReadiness: [
      [200, "/readyz"],
      [200, "/readyz", foreign],
    ],
    getMetrics: [
      [200, "/metrics"],
      [403, "/metrics", foreign],
    ],
    getOpenapi: [[200, "/api/v1/openapi.json"]],
    listActivity: [
      [200, `${activity}?limit=2`],
      [200, `${activity}?type=tool_call,policy_decision`],
      [400, `${activity}?limit=0`],
      [403, activity, foreign],
    ],
    summariseActivity: [
      [200, `${activity}/summary?period=1h`],
      [200, `${activity}/summary`],
      [400, `${activity}/summary?period=long`],
    ],
    getRollout: [
      [200, `${activity}/rollout`],
      [200, `${activity}/rollout?suggest=true`],
      [400, `${activity}/rollout?suggest=perhaps`],
      [200, `${activity}/rollout?tools=false`],
    ],
    getRepairs: [
      [200, `${activity}/repairs`],
      [400, `${activity}/repairs?period=long`],
    ],
    getDrift: [
      [200, `${activity}/drift?server=crm&tool=find`],
      [400, `${activity}/drift?server=crm`],
      [404, `${activity}/drift?server=crm&tool=none`],
    ],
    proposeEdit: [
      [200, "/api/v1/config/proposals", sent({ action }, mayWrite)],
      [200, "/api/v1/config/proposals", sent({ action: addition }, mayWrite)],
      [400, "/api/v1/config/proposals", sent({ action: { kind: "other" } }, mayWrite)],
      [413, "/api/v1/config/proposals", sent({ action: "x".repeat(20_000) }, mayWrite)],
      [415, "/api/v1/config/proposals", { method: "POST", headers: mayWrite, body: "{}" }],
      [401, "/api/v1/config/proposals", sent({ action })],
      [404, "/api/v1/config/proposals", sent({ action: { kind: "allow", record: "x" } }, mayWrite)],
    ],
    editConfig: [
      [400, "/api/v1/config/edits", sent({ action }, mayWrite)],
      [413, "/api/v1/config/edits", sent({ action: "x".repeat(20_000) }, mayWrite)],
      [415, "/api/v1/config/edits", { method: "POST", headers: mayWrite, body: "{}" }],
      [401, "/api/v1/config/edits", sent({ action, hash: "" })],
      [409, "/api/v1/config/edits", sent({ action, hash: "" }, mayWrite)],
    ],
    undoEdit: [
      [401, "/api/v1/config/edits/x/undo", { method: "POST" }],
      [404, "/api/v1/config/edits/x/undo", { method: "POST", headers: mayWrite }],
      [400, "/api/v1/config/edits/x/undo", sent({ reason: 1 }, mayWrite)],
      [413, "/api/v1/config/edits/x/undo", sent({ reason: "x".repeat(20_000) }, mayWrite)],
      [415, "/api/v1/config/edits/x/undo", { method: "POST", headers: mayWrite, body: "{}" }],
    ],
    listCalls: [
      [200, "/api/v1/calls"],
      [200, "/api/v1/calls?rule=type&q=weather&order=asc&limit=1"],
      [200, `/api/v1/calls?problem=${problem}`],
      [400, "/api/v1/calls?problem=x"],
      [400, "/api/v1/calls?limit=201"],
      [403, "/api/v1/calls", foreign],
    ],
    countCalls: [
      [200, "/api/v1/calls/histogram?period=1h&buckets=10"],
      [400, "/api/v1/calls/histogram?buckets=0"],
    ],
    listCallValues: [[200, "/api/v1/calls/values"]],
    getCall: [
      [200, `/api/v1/calls/${record}`],
      [400, `/api/v1/calls/${record}?status=x`],
      [404, "/api/v1/calls/none"],
    ],
    checkCall: [
      [200, "/api/v1/check", sent({ server: "faulty", tool: "echo", arguments: { message: 5 } })],
      [200, "/api/v1/check", sent({ server: "faulty", tool: "get_weather", arguments: {} })],
      [400, "/api/v1/check", sent({ server: "faulty" })],
      [404, "/api/v1/check", sent({ server: "none", tool: "echo" })],
      [413, "/api/v1/check", sent({ server: "faulty", tool: "x".repeat(16 * 1024 * 1024) })],
      [415, "/api/v1/check", { method: "POST", body: "{}" }],
    ],
    eraseActivity: [
      [401, "/api/v1/activity/erase", sent({ caller: "nobody" })],
      [200, "/api/v1/activity/erase", sent({ caller: "nobody", dry_run: true }, mayWrite)],
      [
        200,
        "/api/v1/activity/erase",
        sent({ session: "none", reason: "request 17", confirm: true }, mayWrite),
      ],
      [400, "/api/v1/activity/erase", sent({ caller: "nobody" }, mayWrite)],
      [
        400,
        "/api/v1/activity/erase",
        sent({ caller: "nobody", reason: "for Nobody", confirm: true }, mayWrite),
      ],
      [400, "/api/v1/activity/erase", sent({}, mayWrite)],
      [413, "/api/v1/activity/erase", sent({ caller: "x".repeat(20_000) }, mayWrite)],
      [415, "/api/v1/activity/erase", { method: "POST", body: "{}", headers: mayWrite }],
    ],
    getOverview: [
      [200, "/api/v1/overview"],
      [200, "/api/v1/overview?period=7d"],
      [200, "/api/v1/overview?since=15m"],
      [200, "/api/v1/overview?since=2026-01-01T00:00:00Z&until=2026-01-02T00:00:00Z"],
      [400, "/api/v1/overview?since=15m&until=2020-01-01T00:00:00Z"],
      [400, "/api/v1/overview?period=1y"],
    ],
    listProblems: [
      [200, "/api/v1/problems"],
      [200, "/api/v1/problems?server=faulty&state=open,allowed&period=1h&limit=1&offset=0"],
      [400, "/api/v1/problems?state=closed"],
      [403, "/api/v1/problems", foreign],
    ],
    getProblem: [
      [200, `/api/v1/problems/${problem}?since=1h`],
      [400, `/api/v1/problems/${problem}?since=long`],
      [404, "/api/v1/problems/none"],
    ],
    ignoreProblem: [
      [401, `/api/v1/problems/${problem}/ignore`, sent(ignored)],
      [200, `/api/v1/problems/${problem}/ignore`, sent(ignored, mayWrite)],
      [404, "/api/v1/problems/none/ignore", sent(ignored, mayWrite)],
      [400, `/api/v1/problems/${problem}/ignore`, sent({ until: "7d" }, mayWrite)],
      [413, `/api/v1/problems/${problem}/ignore`, sent({ until: "x".repeat(20_000) }, mayWrite)],
      [
        415,
        `/api/v1/problems/${problem}/ignore`,
        { method: "POST", body: "{}", headers: mayWrite },
      ],
    ],
    unignoreProblem: [
      [401, `/api/v1/problems/${problem}/ignore`, { method: "DELETE" }],
      [200, `/api/v1/problems/${problem}/ignore`, { method: "DELETE", headers: mayWrite }],
      [404, "/api/v1/problems/none/ignore", { method: "DELETE", headers: mayWrite }],
    ],
    listDrift: [[200, "/api/v1/drift"]],
    listSessions: [
      [200, "/api/v1/sessions"],
      [200, "/api/v1/sessions?period=24h&sort=length&order=asc&q=x&caller=a&client=b&server=c"],
      [400, "/api/v1/sessions?cursor=x"],
    ],
    listCallers: [
      [200, "/api/v1/callers"],
      [200, "/api/v1/callers?sort=limited&q=x"],
      [400, "/api/v1/callers?cursor=x"],
    ],
    exportActivity: [
      [200, `${activity}/export`],
      [200, `${activity}/export?format=csv`],
      [200, `${activity}/export?rule=type&q=x&session=process:1`],
      [400, `${activity}/export?rule=x`],
      [200, `${activity}/export?format=ecs`],
      [400, `${activity}/export?format=pdf`],
    ],
    followActivity: [[400, `${activity}/events?limit=1`]],
    getDefinitionChange: [
      [200, `${activity}/${change}/diff`],
      [200, `${activity}/${change}/diff?after=${change}`],
      [200, `${activity}/${change}/diff?before=${change}`],
      [400, `${activity}/${change}/diff?before=${change}&after=${change}`],
      [404, `${activity}/${change}/diff?after=${record}`],
      [404, `${activity}/${record}/diff`],
    ],
    getCheckedSchemas: [
      [200, `${activity}/${record}/schema`],
      [404, `${activity}/${change}/schema`],
    ],
    getActivityRecord: [
      [200, `${activity}/${record}`],
      [404, `${activity}/${"0".repeat(26)}`],
    ],
    listServers: [[200, "/api/v1/servers"]],
    getServer: [
      [200, "/api/v1/servers/faulty"],
      [200, "/api/v1/servers/web"],
      [200, "/api/v1/servers/off"],
      [404, "/api/v1/servers/none"],
    ],
    getServerLog: [
      [200, "/api/v1/servers/faulty/log"],
      [200, "/api/v1/servers/faulty/log?after=0123456789ab.5"],
      [200, "/api/v1/servers/off/log"],
      [400, "/api/v1/servers/faulty/log?after=5"],
      [404, "/api/v1/servers/none/log"],
    ],
    getClientView: [
      [200, "/api/v1/servers/faulty/view"],
      [200, "/api/v1/servers/faulty/view?client=x/1&tool=echo"],
      [400, "/api/v1/servers/faulty/view?tools=echo"],
      [404, "/api/v1/servers/faulty/view?caller=none"],
    ],
    getSettings: [[200, "/api/v1/settings"]],
    signIn: [
      [200, "/api/v1/sign-in", signIn({ code: codeOf(touchstone.gateway.consoleLink()) })],
      [403, "/api/v1/sign-in", signIn({ code: "x" })],
      [413, "/api/v1/sign-in", signIn({ code: "x".repeat(20_000) })],
      [415, "/api/v1/sign-in", { method: "POST", body: "{}" }],
    ],
    createSignInCode: [
      [200, "/api/v1/sign-in/codes", { method: "POST", headers: localSecret() }],
      [403, "/api/v1/sign-in/codes", { method: "POST" }],
    ],
    getSession: [
      [200, "/api/v1/session"],
      [403, "/api/v1/session", foreign],
    ],
    createSession: [
      [200, "/api/v1/session", signIn({ key: token }, CONSOLE)],
      [200, "/api/v1/session", signIn({ code: codeOf(touchstone.gateway.consoleLink()) }, CONSOLE)],
      [400, "/api/v1/session", signIn({}, CONSOLE)],
      [401, "/api/v1/session", signIn({ key: "x" }, CONSOLE)],
      [403, "/api/v1/session", signIn({ key: token })],
      [413, "/api/v1/session", signIn({ key: "x".repeat(20_000) }, CONSOLE)],
      [415, "/api/v1/session", { method: "POST", headers: CONSOLE, body: "{}" }],
      ...Array.from(
        { length: 9 },
        () => [401, "/api/v1/session", signIn({ code: "x" }, CONSOLE)] as const,
      ),
      [429, "/api/v1/session", signIn({ key: token }, CONSOLE)],
    ],
    getSignInRefusal: [
      [404, "/api/v1/sign-in/oidc/oidc/refusal"],
      [200, "/api/v1/sign-in/oidc/oidc/refusal", { headers: { cookie: refused } }],
    ],
    endSession: [[200, "/api/v1/session", { method: "DELETE" }]],
    listConsoleSessions: [[200, "/api/v1/console-sessions", { headers: mayWrite }]],
    endConsoleSession: [
      [404, "/api/v1/console-sessions/none", { method: "DELETE", headers: mayWrite }],
      [200, `/api/v1/console-sessions/${signedIn}`, { method: "DELETE", headers: mayWrite }],
    ],
    listGateways: [[200, "/api/v1/gateways"]],
    changeModes: modes("/api/v1/modes"),
    changeServerModes: [
      ...modes("/api/v1/servers/faulty/modes"),
      [404, "/api/v1/servers/none/modes", strict],
    ],
    getAttention: [
      [200, "/api/v1/attention"],
      [200, "/api/v1/attention?since=1h"],
      [403, "/api/v1/attention", foreign],
    ],
    listAlerts: [
      [200, "/api/v1/alerts"],
      [403, "/api/v1/alerts", foreign],
    ],
    testAlert: [
      [401, `/api/v1/alerts/${alert}/test`, { method: "POST" }],
      [404, "/api/v1/alerts/none/test", { method: "POST", headers: mayWrite }],
      [400, `/api/v1/alerts/${alert}/test`, sent({ reason: 1 }, mayWrite)],
      [413, `/api/v1/alerts/${alert}/test`, sent({ reason: "x".repeat(20_000) }, mayWrite)],
      [415, `/api/v1/alerts/${alert}/test`, { method: "POST", headers: mayWrite, body: "{}" }],
      ...Array.from(
        { length: 6 },
        () => [200, `/api/v1/alerts/${alert}/test`, sent({}, mayWrite)] as const,
      ),
      [429, `/api/v1/alerts/${alert}/test`, sent({}, mayWrite)],
    ],
    listViews: [
      [200, "/api/v1/views"],
      [403, "/api/v1/views", foreign],
    ],
    saveView: [
      [200, "/api/v1/views", sent(VIEW, mayWrite)],
      [400, "/api/v1/views", sent({ ...VIEW, query: "sttus:blocked" }, mayWrite)],
      [401, "/api/v1/views", sent(VIEW, {})],
      [413, "/api/v1/views", sent({ ...VIEW, name: "x".repeat(20_000) }, mayWrite)],
      [415, "/api/v1/views", { method: "POST", headers: mayWrite, body: "{}" }],
    ],
    deleteView: [
      [200, `/api/v1/views/${view}`, { method: "DELETE", headers: mayWrite }],
      [404, `/api/v1/views/${view}`, { method: "DELETE", headers: mayWrite }],
      [401, `/api/v1/views/${view}`, { method: "DELETE" }],
    ],
    listPins: [
      [200, "/api/v1/pins?server=crm"],
      [200, "/api/v1/pins?state=held"],
      [400, "/api/v1/pins?state=lost"],
    ],
    diffPin: [
      [200, "/api/v1/pins/diff?server=crm&name=find&hash=sha256:1"],
      [400, "/api/v1/pins/diff?server=crm"],
      [404, "/api/v1/pins/diff?server=crm&name=find&hash=sha256:3"],
    ],
    approvePin: decisions("/api/v1/pins/approve", "sha256:2"),
    revokePin: decisions("/api/v1/pins/revoke", "sha256:1"),
    changeToolModes: [
      ...modes("/api/v1/servers/faulty/tools/echo/modes"),
      [404, "/api/v1/servers/none/tools/echo/modes", strict],
    ],
  };
}

const cache = new SchemaCache();
const errorsOf = (schema: object, body: string) => {
  const compiled = cache.get({ value: { ...schema, components: document.components } });
  expect(compiled.error).toBeUndefined();
  return compiled.validateText(body).errors;
};
const ask = (path: string, init?: RequestInit) =>
  fetch(`http://127.0.0.1:${touchstone.gateway.port}${path}`, init);

describe("the gateway's OpenAPI document", () => {
  it("is served, and names the right base URL", async () => {
    const response = await ask("/api/v1/openapi.json");
    expect(await response.json()).toEqual(JSON.parse(JSON.stringify(document)));
    const [{ url } = { url: "" }] = document.servers;
    expect(new URL(url, response.url).pathname).toBe("/");
  });

  it.each(operations)("$method $path responds as documented", async ({ method, operation }) => {
    const { operationId, responses } = operation;
    const sent = samples()[operationId] ?? [];
    expect(sent).not.toHaveLength(0);
    for (const [status, path, init = { method }] of sent) {
      const response = await ask(path, init);
      const body = await response.text();
      expect([path, response.status]).toEqual([path, status]);
      const [type = ""] = (response.headers.get("content-type") ?? "").split(";", 1);
      const media = responses[status]?.content[type];
      expect([operationId, status, type, media !== undefined]).toEqual([
        operationId,
        status,
        type,
        true,
      ]);
      const value = type === "application/json" ? body : JSON.stringify(body);
      expect(errorsOf(media?.schema ?? {}, value)).toEqual([]);
    }
  });

  it("documents the diff of a changed definition", async () => {
    const response = await ask(`/api/v1/activity/${change}/diff`);
    expect(await response.json()).toEqual({
      id: change,
      server: "crm",
      tool: "find",
      kind: "schema",
      diff: ' {\n+  "required": [\n+    "a"\n+  ],\n   "type": "object"\n }\n',
      changes: [
        {
          class: "breaking",
          rule: "input-schema",
          path: "/inputSchema",
          message: "arguments that were accepted are now refused",
          counterexample: "{}",
        },
      ],
    });
  });

  it("documents every response that a client can cause", () => {
    const given = samples();
    const left = operations.flatMap(({ operation: { operationId, responses } }) => {
      const sent = new Set((given[operationId] ?? []).map(([status]) => String(status)));
      return Object.keys(responses)
        .filter((status) => !sent.has(status))
        .map((status) => `${operationId} ${status}`);
    });
    // Other tests cover missing keys, faults of the store and of the file, and stopping.
    expect(left.filter((name) => !/ (?:401|403|409|500|503)$/.test(name))).toEqual([
      // The metrics are turned off.
      "getMetrics 404",
      "followActivity 200",
      // `admin/config-edits.test.ts` makes and undoes edits.
      "editConfig 200",
      "editConfig 404",
      "undoEdit 200",
    ]);
  });

  it("documents the event stream", async () => {
    const stop = new AbortController();
    const response = await ask("/api/v1/activity/events", { signal: stop.signal });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toMatch(/^text\/event-stream/);
    stop.abort();
  });

  it("has valid schemas, and uses all of them", () => {
    const text = JSON.stringify(document);
    for (const name of Object.keys(document.components.schemas)) {
      errorsOf({ $ref: `#/components/schemas/${name}` }, "null");
      expect(text).toContain(`"#/components/schemas/${name}"`);
    }
  });

  it("refuses undocumented methods", async () => {
    for (const { path } of operations.filter(({ path }) => path.startsWith("/api/"))) {
      const filled = path
        .replace("{id}", record)
        .replace("{server}", "faulty")
        .replace("{tool}", "echo");
      expect([path, (await ask(filled, { method: "PUT" })).status]).toEqual([path, 405]);
    }
  });

  it("documents every path in the guides", () => {
    const guide = (name: string) =>
      readFileSync(new URL(`../../../../docs/reference/${name}`, import.meta.url), "utf8");
    const named = [
      ...`${guide("console-api.md")}${guide("activity.md")}`.matchAll(
        /`(GET|PATCH) (\/api\/v1\/[^`?\s…]+)/g,
      ),
    ];
    expect(named.length).toBeGreaterThan(7);
    const known = new Set(operations.map(({ method, path }) => `${method} ${path}`));
    for (const [, method, path] of named) expect(known).toContain(`${method} ${path}`);
  });

  it("requires the key if one is set", async () => {
    const locked = await startAdminGateway(
      JSON.stringify({ mcpServers: { faulty: server }, auth: { api_key: "k" } }),
    );
    try {
      const { status, body } = await locked.get("openapi.json");
      expect(status).toBe(401);
      const schema = document.paths["/api/v1/openapi.json"]?.["get"]?.responses["401"];
      expect(
        errorsOf(schema?.content["application/json"]?.schema ?? {}, JSON.stringify(body)),
      ).toEqual([]);
    } finally {
      await locked.close();
    }
  });

  it("documents the response if settings cannot be changed", async () => {
    const fixed = await startAdminGateway(JSON.stringify({ mcpServers: { faulty: server } }), {
      editable: false,
    });
    try {
      const headers = { authorization: `Bearer ${await fixed.signedIn()}` };
      const { status, body } = await fixed.patch("modes", { input: "off" }, headers);
      expect(status).toBe(409);
      expect(errorsOf({ $ref: "#/components/schemas/Error" }, JSON.stringify(body))).toEqual([]);
      const settings = await fixed.get("settings");
      expect(
        errorsOf({ $ref: "#/components/schemas/Settings" }, JSON.stringify(settings.body)),
      ).toEqual([]);
    } finally {
      await fixed.close();
    }
  });
});
