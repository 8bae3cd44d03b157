import { appendFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { long } from "../../../../core/src/testing/sample.ts";
import { FAULTY_SERVER, SCRIPTED_SERVER } from "../../testing/fixtures.ts";
import { startTestGateway, type TestGateway } from "../../testing/gateway.ts";
import { modern, post, request } from "../../testing/http.ts";

let folder: string;
let touchstone: TestGateway;
const log = (): string[] =>
  readFileSync(join(folder, "calls"), "utf8")
    .split("\n")
    .filter((line) => line !== "");

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "modern-"));
  appendFileSync(join(folder, "calls"), "");
  const node = process.execPath;
  const scripted = (action: string, ...more: string[]) => ({
    command: node,
    args: [SCRIPTED_SERVER, "--on", `tools/call=${action}`, ...more],
    env: { RECORD_IN: join(folder, action.replace(/[^\w:].*/, "")) },
  });
  const env = { FAULTY_SERVER_LOG: join(folder, "calls") };
  touchstone = await startTestGateway({
    limits: { upstream_frame_bytes: 4096 },
    mcpServers: {
      faulty: { command: node, args: [FAULTY_SERVER], env },
      strict: {
        command: node,
        args: [FAULTY_SERVER],
        env,
        touchstone: {
          input_validation: { mode: "strict" },
          output_validation: { mode: "strict" },
          protocol_validation: { mode: "strict" },
        },
      },
      progress: scripted("progress:3"),
      silent: scripted("silent"),
      repairing: {
        ...scripted("answer"),
        env: { RECORD_IN: join(folder, "repairing") },
        touchstone: { input_validation: { mode: "strict", repair: ["safe"] } },
      },
      crashing: scripted("exit:9"),
      huge: scripted("huge:5000"),
      "huge id last": scripted("huge:300000", "--id-last"),
      broken: scripted("invalid-json"),
      "broken id last": scripted('raw:{"result":{"n":NaN},"jsonrpc":"2.0","id":$ID}'),
      noisy: scripted("answer", "--noise-between", "{ noise: 1 }"),
      "two on a line": scripted(
        'raw:{"jsonrpc":"2.0","method":"notifications/x"}{"jsonrpc":"2.0","id":$ID,"result":{"resultType":"complete","content":[]}}',
      ),
      "among text": scripted(
        'raw:Loading... {"jsonrpc":"2.0","id":$ID,"result":{"resultType":"complete","content":[]}}',
      ),
      "error without id": scripted('raw:{"jsonrpc":"2.0","error":{"code":-32000,"message":"no"}}'),
      "error with null": scripted(
        'raw:{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"no"}}',
      ),
      "cut by another": scripted(
        'raw:{"jsonrpc":"2.0","id":$ID,"result":{"co{"jsonrpc":"2.0","id":77,"result":{}}ntent":[]}}',
      ),
      tasks: {
        ...scripted(
          'raw:{"jsonrpc":"2.0","id":$ID,"result":{"resultType":"task","taskId":"t1","status":"working"}}',
          "--on",
          'tasks/get=raw:{"jsonrpc":"2.0","id":$ID,"result":{"resultType":"complete","taskId":"t1","status":"completed","result":{"resultType":"complete","content":[],"structuredContent":{"n":"three"}}}}',
        ),
        touchstone: { output_validation: { mode: "strict" } },
      },
      asking: scripted("ask:sampling/createMessage"),
    },
  });
});
afterAll(async () => {
  await touchstone.close();
  rmSync(folder, { recursive: true });
});

const send = (server: string, { body, headers }: ReturnType<typeof modern>, signal?: AbortSignal) =>
  post(touchstone.url(server), body, headers, signal);
const work = (options: Parameters<typeof modern>[2] = {}) =>
  modern("tools/call", { name: "work", arguments: { n: 3 } }, options);

describe("one process shared by all clients", () => {
  it("keeps ids, tokens and progress of concurrent clients apart", async () => {
    const ids = [1, 1, 1, '"1"', "01", 7256535639334584321n.toString()];
    const answers = await Promise.all(
      ids.map((id) => send("progress", work({ id, meta: { progressToken: id } }))),
    );
    for (const [i, { status, messages }] of answers.entries()) {
      expect(status).toBe(200);
      const parsed = messages.map((text) => JSON.parse(text));
      expect(parsed.map((message) => message.params?.progress)).toEqual([1, 2, 3, undefined]);
      expect(parsed.slice(0, 3).map((m) => m.params.progressToken)).toEqual(Array(3).fill(ids[i]));
      expect(parsed[3]).toMatchObject({ id: ids[i], result: { structuredContent: { n: 3 } } });
    }
  });

  it("restores an id digit for digit", async () => {
    const { body, headers } = work();
    const { text } = await post(
      touchstone.url("progress"),
      body.replace('"id":1', '"id":9007199254740993'),
      headers,
    );
    expect(text).toContain('"id":9007199254740993,');
  });

  it("returns a result byte for byte", async () => {
    const call = modern("tools/call", { name: "lookup_order", arguments: { number: "1" } });
    const { text } = await send("faulty", call);
    expect(text).toContain(
      '{"zeta":1.0,"id":7256535639334584321,"alpha":{"b":2,"a":1e2},"id":7256535639334584321}',
    );
    expect(text).toContain('"id":1,"result":{"resultType":"complete"');
  });

  it("cancels a request at the server when its connection closes, with the server's id", async () => {
    const leaving = new AbortController();
    const left = send("silent", work({ id: "mine" }), leaving.signal);
    const seen = () => readFileSync(join(folder, "silent"), "utf8");
    await send("silent", modern("tools/list"));
    await until(() => seen().includes('"tools/call"'));
    leaving.abort();
    await expect(left).rejects.toThrow();
    await until(() => seen().includes("notifications/cancelled"));
    expect(seen()).toMatch(/"notifications\/cancelled","params":\{"requestId":\d+\}/);
    const recorded = () => touchstone.records({ server: "silent", type: "tool_call" });
    await until(async () => (await recorded()).length > 0);
    const [call] = await recorded();
    expect(call).toMatchObject({ status: "error", reason: "the client closed the connection" });
  });

  it("does not let one client cancel another's request", async () => {
    const { headers } = modern("notifications/cancelled");
    const params = { requestId: 1, reason: "mine" };
    const body = { jsonrpc: "2.0", method: "notifications/cancelled", params };
    expect((await post(touchstone.url("progress"), body, headers)).status).toBe(202);
    await send("progress", modern("tools/list"));
    expect(readFileSync(join(folder, "progress:3"), "utf8")).not.toContain('"reason":"mine"');
  });
});

describe("a message that the server could apply to another client's request", () => {
  const seen = () => readFileSync(join(folder, "progress:3"), "utf8");

  it.each([
    ["id", (body: string) => body.replace(/\}$/, ',"Id":1}')],
    ["id", (body: string) => body.replace("{", '{"id":1,')],
    ["progressToken", (body: string) => body.replace('"_meta":{', '"_meta":{"ProgressToken":1,')],
  ])("is refused in every mode: another %s", async (name, change) => {
    const { body, headers } = work({ id: "twin" });
    const before = seen();
    const { status, text } = await post(touchstone.url("progress"), change(body), headers);
    expect([status, JSON.parse(text)]).toMatchObject([400, { id: "twin" }]);
    expect(text).toContain(name);
    expect(seen().slice(before.length)).not.toContain("tools/call");
  });

  const SUBSCRIPTION = '"_meta":{"io.modelcontextprotocol/subscriptionId":1,';
  it.each<[string, string, (body: string) => string]>([
    [
      "a notification sent as a request",
      "notifications/cancelled",
      (body) => body.replace('"params":{', '"params":{"requestId":1,'),
    ],
    [
      "one in upper case",
      "Notifications/Cancelled",
      (body) => body.replace('"params":{', '"params":{"x":1,'),
    ],
    [
      "a request's id in a request",
      "tasks/cancel",
      (body) => body.replace('"params":{', '"params":{"requestId":"1",'),
    ],
    [
      "a request's id of another type",
      "x/cancel",
      (body) => body.replace('"params":{', '"params":{"requestId":[1],'),
    ],
    [
      "a request's id by another name",
      "x/cancel",
      (body) => body.replace('"params":{', '"params":{"request_id":1,'),
    ],
    [
      "a request's id, escaped",
      "x/cancel",
      (body) => body.replace('"params":{', '"params":{"requ\\u0065stId":1,'),
    ],
    [
      "a request's id twice",
      "x/cancel",
      (body) => body.replace('"params":{', '"params":{"requestId":9,"requestId":1,'),
    ],
    [
      "a token beside _meta",
      "x/progress",
      (body) => body.replace('"params":{', '"params":{"progressToken":1,'),
    ],
    ["a subscription", "x/end", (body) => body.replace('"_meta":{', SUBSCRIPTION)],
    [
      "a subscription by another name",
      "x/end",
      (body) => body.replace('"_meta":{', SUBSCRIPTION.replace("Id", "_id")),
    ],
  ])("is refused in every mode: %s", async (_name, method, change) => {
    const { body, headers } = modern(method, {}, { id: "ref" });
    const before = seen();
    const { status, text } = await post(touchstone.url("progress"), change(body), headers);
    expect([status, JSON.parse(text)]).toMatchObject([400, { id: "ref", error: {} }]);
    await send("progress", modern("tools/list"));
    expect(seen().slice(before.length)).not.toContain(method);
  });

  it.each([
    ["notifications/progress", '"params":{"progressToken":1,"progress":1,'],
    ["notifications/cancelled ", '"params":{"requestId":1,'],
    ["Notifications/cancelled", '"params":{"requestId":1,'],
    ["notifications/x", '"params":{"requestid":1,'],
    ["notifications/x", '"params":{"_meta":{"progressToken":1},'],
    ["notifications/x", `"params":{${SUBSCRIPTION.slice(0, -1)}},`],
  ])("is refused as a notification: %s with %s", async (method, params) => {
    const { body, headers } = modern(method);
    const { id: _, ...message } = JSON.parse(body);
    const text = JSON.stringify({ ...message, params: {} })
      .replace('"params":{', params)
      .replace(",}", "}");
    const before = seen();
    const answer = await post(touchstone.url("progress"), text, headers);
    expect(answer.status).toBe(400);
    await send("progress", modern("tools/list"));
    expect(seen().slice(before.length)).not.toContain(method.trim());
  });

  it("is refused even if it gets no response", async () => {
    const { headers } = modern("notifications/x");
    const body = `{"jsonrpc":"2.0","method":"notifications/x","Method":"notifications/cancelled","params":{"requestId":1}}`;
    expect((await post(touchstone.url("progress"), body, headers)).status).toBe(400);
    await send("progress", modern("tools/list"));
    expect(seen()).not.toContain("Method");
  });
});

it.each([
  ["two on a line", { result: { content: [] } }],
  ["among text", { result: { content: [] } }],
  ["error without id", { error: { code: -32000 } }],
  ["error with null", { error: { code: -32000, message: "no" } }],
  ["cut by another", { error: { code: -32603 } }],
])("answers every request: %s", async (server, expected) => {
  const { messages } = await send(server, work({ id: "x" }));
  expect(JSON.parse(messages.at(-1) ?? "")).toMatchObject({ id: "x", ...expected });
  const [decision] = await touchstone.records({ server, type: "policy_decision" });
  expect(decision).toMatchObject({
    direction: "protocol",
    reason: expect.stringMatching(/line|no id/),
  });
});

describe("a server's mistakes", () => {
  it("answers on the id if it crashes, and restarts it later", long, async () => {
    const answer = await send("crashing", work({ id: "a" }));
    expect(JSON.parse(answer.text)).toMatchObject({
      id: "a",
      error: { code: -32603, message: "touchstone: the server exited with code 9" },
    });
    const soon = await send("crashing", modern("tools/list", {}, { id: "b" }));
    expect(touchstone.lines.join("\n")).not.toContain("could not be checked");
    expect(soon.text).toMatch(/"id":"b".*the server crashed and is started again in 1 s/);
    await until(async () =>
      (await send("crashing", modern("tools/list"))).text.includes('"tools":['),
    );
  });

  it.each([
    ["huge", /server message of 5000 bytes is over the limit of 4096 bytes/],
    ["huge id last", /server message of 300000 bytes is over the limit of 4096 bytes/],
    ["broken id last", /server sent something that is not a JSON-RPC message/],
    ["broken", /server sent something that is not a JSON-RPC message/],
  ])("answers on the id: %s", async (server, reason) => {
    const { text } = await send(server, work({ id: "x" }));
    expect(JSON.parse(text)).toMatchObject({ id: "x", error: { code: -32603 } });
    expect(text).toMatch(reason);
    const [decision] = await touchstone.records({ server, type: "policy_decision" });
    expect(decision).toMatchObject({ direction: "protocol", decision: "blocked", tool: "work" });
  });

  it("ends no request because of noise between messages", async () => {
    const { text } = await send("noisy", work({ id: "x" }));
    expect(JSON.parse(text)).toMatchObject({ id: "x", result: { structuredContent: { n: 3 } } });
    const line = await touchstone.line(
      /noisy: server sent something that is not a JSON-RPC message/,
    );
    expect(line).toContain("{ noise: 1 }");
  });

  it("checks a task's result by the contract of the call that created the task", async () => {
    const extensions = { "io.modelcontextprotocol/tasks": {} };
    const meta = { "io.modelcontextprotocol/clientCapabilities": { extensions } };
    const made = await send("tasks", work({ meta }));
    expect(JSON.parse(made.text).result).toMatchObject({ resultType: "task", taskId: "t1" });
    const { text } = await send("tasks", modern("tasks/get", { taskId: "t1" }));
    expect(JSON.parse(text).result).toMatchObject({ taskId: "t1", result: { isError: true } });
    const { request_id } =
      (await touchstone.records({ server: "tasks", type: "tool_call" }))[0] ?? {};
    const decisions = await touchstone.records({ server: "tasks", type: "policy_decision" });
    expect(decisions).toMatchObject([{ request_id, direction: "output", decision: "blocked" }]);
  });

  it("refuses a server's request, so that the server does not wait", async () => {
    const { text } = await send("asking", work({ id: "x" }));
    expect(text).toContain('"result"');
    expect(JSON.parse(JSON.parse(text).result.content[0].text)).toMatchObject({
      id: "ask-1",
      error: { code: -32601 },
    });
  });
});

describe("a client's mistakes", () => {
  const list = modern("tools/list");
  const call = work();
  const bare = (params: object) => JSON.stringify(request(1, "tools/list", params));
  const version = { "io.modelcontextprotocol/protocolVersion": "2026-07-28" };
  const table: [string, string, Record<string, string>, number, number][] = [
    ["no version header", list.body, { "mcp-method": "tools/list" }, 400, -32020],
    [
      "another version",
      list.body,
      { ...list.headers, "mcp-protocol-version": "2025-11-25" },
      400,
      -32020,
    ],
    ["another method", list.body, { ...list.headers, "mcp-method": "tools/call" }, 400, -32020],
    ["another name", call.body, { ...call.headers, "mcp-name": "other" }, 400, -32020],
    ["no _meta", bare({}), list.headers, 400, -32602],
    ["no capabilities", bare({ _meta: version }), list.headers, 400, -32602],
    ["unknown method", modern("no/such").body, modern("no/such").headers, 404, -32601],
    ["initialize", modern("initialize").body, modern("initialize").headers, 404, -32601],
    ["a batch", `[${list.body}]`, list.headers, 400, -32600],
    ["a response", '{"jsonrpc":"2.0","id":1,"result":{}}', list.headers, 400, -32600],
    ["no JSON", '{"jsonrpc":"2.0","id":1', list.headers, 400, -32700],
    ["two messages", `${list.body}\n${list.body}`, list.headers, 400, -32700],
  ];
  it.each(table)("answers %s", async (_, body, headers, status, code) => {
    const answer = await post(touchstone.url("faulty"), body, headers);
    expect([answer.status, JSON.parse(answer.text).error.code]).toEqual([status, code]);
  });

  it("refuses initialize before the server sees it", async () => {
    const before = log().length;
    const { body, headers } = modern("initialize");
    const { text } = await post(touchstone.url("faulty"), body, headers);
    expect(JSON.parse(text).error.message).toMatch(/^this revision has no initialize/);
    expect(log()).toHaveLength(before);
  });

  it("accepts a name in base64 form", async () => {
    const name = `=?base64?${Buffer.from("work").toString("base64")}?=`;
    const { body, headers } = work();
    const { status } = await post(touchstone.url("progress"), body, {
      ...headers,
      "mcp-name": name,
    });
    expect(status).toBe(200);
  });

  it.each(["GET", "DELETE"])("refuses %s", async (method) => {
    const response = await fetch(touchstone.url("faulty"), { method, headers: list.headers });
    expect([response.status, response.headers.get("allow")]).toEqual([405, "POST"]);
  });
});

describe("strict", () => {
  it("forwards a call without an id after its repair", async () => {
    const { body, headers } = modern("tools/call", { name: "work", arguments: { n: "3" } });
    const { id: _, ...call } = JSON.parse(body);
    await send("repairing", modern("tools/list"));
    expect((await post(touchstone.url("repairing"), call, headers)).status).toBe(202);
    await send("repairing", modern("tools/list"));
    const came = readFileSync(join(folder, "repairing"), "utf8");
    expect(came).toContain('"arguments":{"n":3}');
    expect(came).not.toContain('"arguments":{"n":"3"}');
  });

  it("blocks invalid arguments before the server, even without a prior list request", async () => {
    const before = log().length;
    const { text } = await send(
      "strict",
      modern("tools/call", { name: "get_weather", arguments: { city: 5 } }),
    );
    expect(JSON.parse(text).result).toMatchObject({ resultType: "complete", isError: true });
    expect(text).toContain("/city");
    expect(log()).toHaveLength(before);
  });

  it("blocks an invalid result", async () => {
    const { text } = await send(
      "strict",
      modern("tools/call", { name: "get_weather", arguments: { city: "Berlin" } }),
    );
    expect(text).toContain("output schema validation failed: /temperature must be a number");
    const [decision] = await touchstone.records({ server: "strict", direction: "output" });
    expect(decision).toMatchObject({ decision: "blocked", mode: "strict", tool: "get_weather" });
  });

  it("blocks a duplicate key", async () => {
    const { body, headers } = modern("tools/call", { name: "echo", arguments: { a: 1 } });
    const twice = body.replace('"a":1', '"a":1,"a":2');
    const answer = await post(touchstone.url("strict"), twice, headers);
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.text)).toMatchObject({ id: 1, error: { code: -32602 } });
    expect(log().join()).not.toContain('"name":"echo"');
  });
});

/** Asks again on each turn of the event loop; the test's own time limit ends it. */
async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setImmediate(resolve));
}
