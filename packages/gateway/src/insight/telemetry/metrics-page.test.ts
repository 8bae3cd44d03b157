import { afterEach, describe, expect, it } from "vitest";
import { parseConfig } from "../../config/load.ts";
import { FAULTY_SERVER } from "../../testing/fixtures.ts";
import { startTestGateway, type TestGateway } from "../../testing/gateway.ts";
import { initialize, post, request } from "../../testing/http.ts";
import { type MetricFamily, parseMetrics } from "./testing/parse-metrics.ts";

const FAULTY = { command: process.execPath, args: [FAULTY_SERVER] };
const SERVERS = { faulty: { ...FAULTY, touchstone: { output_validation: { mode: "strict" } } } };

/** A server with one tool and one prompt that answers calls of all others as well. */
const TAKES_ANY = `
  const results = {
    initialize: { protocolVersion: "2025-11-25", capabilities: { tools: {}, prompts: {} }, serverInfo: { name: "any", version: "1" } },
    "tools/list": { tools: [{ name: "real", inputSchema: { type: "object" } }] },
    "prompts/list": { prompts: [{ name: "greet" }] },
    "tools/call": { content: [] },
    "prompts/get": { messages: [] },
  };
  require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method } = JSON.parse(line);
    if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result: results[method] ?? {} }));
  });
`;

let gateway: TestGateway | undefined;
afterEach(async () => {
  await gateway?.close();
  gateway = undefined;
});

async function start(
  config: object,
): Promise<(path: string, headers?: object) => Promise<Response>> {
  const started = await startTestGateway({ mcpServers: SERVERS, ...config });
  gateway = started;
  const { host, port } = started.gateway;
  return (path, headers = {}) =>
    fetch(`http://${host}:${port}${path}`, { headers: { ...headers } });
}

/** The value of the series that has these labels, among others. */
function value(family: MetricFamily | undefined, suffix: string, labels: object): number {
  const found = (family?.samples ?? []).filter(
    ({ name, labels: own }) =>
      name.endsWith(suffix) && Object.entries(labels).every(([k, v]) => own[k] === v),
  );
  return found.reduce((sum, sample) => sum + sample.value, 0);
}

describe("GET /metrics", () => {
  it("counts the messages that pass through a gateway", async () => {
    const get = await start({ telemetry: { metrics: true } });
    const url = gateway?.url("faulty") ?? "";
    const headers = await initialize(url);
    const call = (id: number, name: string, args: object): Promise<unknown> =>
      post(url, request(id, "tools/call", { name, arguments: args }), headers);
    await call(1, "get_weather", { city: "Oslo" });
    await call(2, "get_weather", { city: "Berlin" });
    await call(3, "get_weather", { city: "Rome", town: 1 });
    await call(4, "fail", {});
    await call(5, "no such tool", {});

    const answer = await get("/metrics");
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    const metrics = parseMetrics(await answer.text());

    const operations = metrics.get("mcp_server_operation_duration_seconds");
    const weather = {
      touchstone_server_name: "faulty",
      mcp_method_name: "tools/call",
      gen_ai_operation_name: "execute_tool",
      gen_ai_tool_name: "get_weather",
      mcp_protocol_version: "2025-11-25",
      network_transport: "tcp",
      network_protocol_name: "http",
    };
    expect(value(operations, "_count", weather)).toBe(3);
    expect(value(operations, "_count", { ...weather, error_type: "tool_error" })).toBe(1);
    const fail = { gen_ai_tool_name: "fail", error_type: "tool_error" };
    expect(value(operations, "_count", fail)).toBe(1);
    expect(value(operations, "_count", { gen_ai_tool_name: "_OTHER" })).toBe(1);
    const upstream = metrics.get("mcp_client_operation_duration_seconds");
    expect(value(upstream, "_count", { gen_ai_tool_name: "get_weather" })).toBe(3);
    expect(value(upstream, "_count", { network_transport: "pipe" })).toBeGreaterThan(4);
    expect(value(upstream, "_count", { network_transport: "tcp" })).toBe(0);

    const validations = metrics.get("touchstone_validations_total");
    const blocked = { direction: "output", mode: "strict", outcome: "violation", rule: "type" };
    expect(value(validations, "", { ...blocked, decision: "blocked" })).toBe(1);
    const warned = { direction: "input", outcome: "violation", decision: "warning" };
    expect(value(validations, "", warned)).toBe(1);
    expect(value(validations, "", { outcome: "pass", decision: "allowed" })).toBeGreaterThan(3);
    expect(value(validations, "", { direction: "input", outcome: "pass" })).toBe(3);
    expect(value(validations, "", { direction: "input", outcome: "violation", mode: "warn" })).toBe(
      1,
    );
    expect(value(metrics.get("touchstone_schema_cache_entries"), "", {})).toBeGreaterThan(0);
    const compiled = metrics.get("touchstone_schema_compile_duration_seconds");
    expect(value(compiled, "_count", {})).toBeGreaterThan(0);
    const appended = metrics.get("touchstone_activity_append_duration_seconds");
    expect(value(appended, "_count", {})).toBeGreaterThanOrEqual(5);
  });

  it("counts calls by their status, and as errors only those that the server failed", async () => {
    const refused = {
      ...FAULTY,
      touchstone: {
        input_validation: { mode: "strict" },
        output_validation: { mode: "strict" },
        policy: { deny_tools: ["echo"] },
        tools: {
          get_weather: { narrow: { properties: { city: { maxLength: 6 } } } },
          fail: { limits: { calls_per_minute: 1 } },
        },
      },
    };
    const get = await start({ telemetry: { metrics: true }, mcpServers: { refused } });
    const url = gateway?.url("refused") ?? "";
    const headers = await initialize(url);
    const calls: readonly (readonly [name: string, args: object, status: string, error: string])[] =
      [
        ["get_weather", { city: "Oslo" }, "success", ""],
        ["get_weather", { city: "Reykjavik" }, "out_of_bounds", ""],
        ["get_weather", { city: 5 }, "blocked", ""],
        ["get_weather", { city: "Berlin" }, "blocked", "tool_error"],
        ["fail", {}, "error", "tool_error"],
        ["fail", {}, "limited", ""],
        ["echo", {}, "denied", ""],
      ];
    for (const [at, [name, args]] of calls.entries()) {
      await post(url, request(at, "tools/call", { name, arguments: args }), headers);
    }
    const metrics = parseMetrics(await (await get("/metrics")).text());
    const operations = metrics.get("mcp_server_operation_duration_seconds");
    const counted = (operations?.samples ?? [])
      .filter(({ name, labels }) => name.endsWith("_count") && labels["touchstone_status"])
      .map(({ labels, value: times }) => [
        labels["gen_ai_tool_name"],
        labels["touchstone_status"],
        labels["error_type"] ?? "",
        times,
      ]);
    const expected = calls.map(([name, , status, error]) => [name, status, error, 1]);
    expect(counted.toSorted()).toEqual(expected.toSorted());
    const sent = metrics.get("mcp_client_operation_duration_seconds");
    expect(value(sent, "_count", { mcp_method_name: "tools/call" })).toBe(3);
    expect(value(sent, "_count", { error_type: "tool_error" })).toBe(1);
  });

  it("counts all unlisted names under one label", async () => {
    const mcpServers = { any: { command: process.execPath, args: ["-e", TAKES_ANY] } };
    const get = await start({ telemetry: { metrics: true }, mcpServers });
    const url = gateway?.url("any") ?? "";
    const headers = await initialize(url);
    const ask = async (id: number, method: string, params: object): Promise<void> => {
      const { text } = await post(url, request(id, method, params), headers);
      expect(text).toContain('"result"');
    };
    await ask(1, "prompts/list", {});
    for (let i = 0; i < 100; i += 1) {
      await ask(10 + i, "tools/call", { name: `made-up-${i}`, arguments: {} });
      await ask(1_000 + i, "prompts/get", { name: `made-up-${i}` });
    }
    await ask(2, "tools/call", { name: "real", arguments: {} });
    await ask(3, "prompts/get", { name: "greet" });
    const text = await (await get("/metrics")).text();
    expect(text.length).toBeLessThan(100_000);
    const operations = parseMetrics(text).get("mcp_server_operation_duration_seconds");
    const counted = (labels: object): number => value(operations, "_count", labels);
    expect(counted({ gen_ai_tool_name: "_OTHER" })).toBe(100);
    expect(counted({ gen_ai_prompt_name: "_OTHER" })).toBe(100);
    expect(counted({ gen_ai_tool_name: "real" })).toBe(1);
    expect(counted({ gen_ai_prompt_name: "greet" })).toBe(1);
    expect(text).not.toContain("made-up");
  });

  it("explains how to turn metrics on if they are off", async () => {
    const get = await start({});
    const answer = await get("/metrics");
    const error = expect.stringContaining("set telemetry.metrics to true");
    expect([answer.status, await answer.json()]).toEqual([404, { error, code: "NOT_FOUND" }]);
  });

  it("requires a key with the role viewer if keys are set", async () => {
    const keys = [{ name: "prometheus", role: "viewer", key: "k-5678" }];
    const get = await start({ telemetry: { metrics: true }, auth: { api_key: "k-1234", keys } });
    expect((await get("/metrics")).status).toBe(401);
    expect((await get("/metrics", { authorization: "Bearer k-1234" })).status).toBe(403);
    expect((await get("/metrics", { authorization: "Bearer k-5678" })).status).toBe(200);
  });
});

it("applies changed settings except telemetry, which needs a restart", async () => {
  const get = await start({});
  const text = JSON.stringify({
    listen: { address: "127.0.0.1:0" },
    mcpServers: SERVERS,
    telemetry: { metrics: true },
    input_validation: { mode: "strict" },
  });
  const changed = parseConfig(text, { file: "touchstone.json", env: {} });
  expect(await gateway?.gateway.reload(changed)).toEqual([expect.stringMatching(/new settings/)]);
  expect((await get("/metrics")).status).toBe(404);
});
