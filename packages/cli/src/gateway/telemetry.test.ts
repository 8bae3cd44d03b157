import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as HttpV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { describe, expect, it, onTestFinished } from "vitest";
import { eachOf, long } from "../../../core/src/testing/sample.ts";
import { LogCollector } from "../../../gateway/src/insight/telemetry/testing/log-collector.ts";
import {
  type OtlpReceiver,
  type ReceivedSpan,
  startOtlpReceiver,
} from "../testing/otlp-receiver.ts";
import {
  FAULTY_SERVER,
  recordsIn,
  TOUCHSTONE,
  tempDir,
  touchstone,
} from "../testing/touchstone.ts";

const WAIT = { timeout: 20_000 };
const INFO = { name: "traced", version: "1" };
const TRACE = "0af7651916cd43dd8448eb211c80319c";
const CALLER = "b7ad6b7169203331";
const META = { traceparent: `00-${TRACE}-${CALLER}-01`, tracestate: "rojo=1" };
/** The calls of the faulty server: a successful one, one whose result is blocked, one that fails. */
const CALLS = [
  { name: "get_weather", arguments: { city: "Oslo" }, _meta: META },
  { name: "get_weather", arguments: { city: "Berlin" }, _meta: META },
  { name: "fail", arguments: {}, _meta: META },
];

interface Caller {
  callTool(call: (typeof CALLS)[number]): Promise<unknown>;
  close(): Promise<void>;
}

async function connected<T>(client: { connect(transport: T): Promise<void> } & Caller, to: T) {
  onTestFinished(() => client.close());
  await client.connect(to);
  return client;
}

const v1 = (to: StdioV1 | HttpV1) =>
  connected(new ClientV1(INFO) as unknown as Caller & { connect(t: unknown): Promise<void> }, to);
const v2 = (mode: "legacy" | "auto", to: StdioClientTransport | StreamableHTTPClientTransport) =>
  connected(
    new Client(INFO, { versionNegotiation: { mode } }) as unknown as Caller & {
      connect(t: unknown): Promise<void>;
    },
    to,
  );

const otlp = ({ url }: OtlpReceiver, protocol = "http/json"): Record<string, string> => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: url,
  OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
  OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE: "cumulative",
});

/** SDKs kill the processes that they started soon after they disconnect, so everything must be sent before that. */
const SOON = { OTEL_BSP_SCHEDULE_DELAY: "50", OTEL_METRIC_EXPORT_INTERVAL: "100" };

/** Connects a client to a wrapped server. */
function wrapped(sdk: string, dataDir: string, env: Record<string, string>): Promise<Caller> {
  const own = [TOUCHSTONE, "wrap", "--mode", "strict", "--name", "faulty", "--data-dir", dataDir];
  const start = {
    command: process.execPath,
    args: [...own, "--", process.execPath, FAULTY_SERVER],
    env: { PATH: process.env["PATH"] ?? "", ...SOON, ...env },
    stderr: "ignore" as const,
  };
  if (sdk === "v1") return v1(new StdioV1(start));
  return v2(sdk === "v2 legacy" ? "legacy" : "auto", new StdioClientTransport(start));
}

/** Serves the faulty server; `stop` ends it gracefully. */
async function served(dataDir: string, env: Record<string, string>, more: object = {}) {
  const config = join(dataDir, "touchstone.json");
  const faulty = { command: process.execPath, args: [FAULTY_SERVER] };
  const listen = { address: "127.0.0.1:0" };
  writeFileSync(config, JSON.stringify({ listen, mcpServers: { faulty }, ...more }));
  const run = touchstone(["serve", "--config", config, "--mode", "strict"], { dataDir, env });
  const [, url = ""] = await run.seen("stderr", /faulty: (http:\S+)/);
  const stop = async (): Promise<unknown> => {
    run.child.kill("SIGTERM");
    return run.ended;
  };
  return { url, run, stop };
}

/** Returns the spans of the caller's trace, by names and kinds. */
function calls(receiver: OtlpReceiver) {
  const spans = receiver.spans().filter(({ traceId }) => traceId === TRACE);
  const servers = spans.filter(({ kind }) => kind === 2);
  const under = (parent: ReceivedSpan): ReceivedSpan[] =>
    spans.filter(({ kind, parentSpanId }) => kind === 3 && parentSpanId === parent.spanId);
  return servers.map((server) => ({ server, clients: under(server) }));
}

async function expectTraces(
  receiver: OtlpReceiver,
  revision: string,
  transport: string,
  dir: string,
) {
  const traced = calls(receiver);
  expect(
    traced.map(({ server, clients }) => [server.name, clients.map(({ name }) => name)]),
  ).toEqual(
    ["get_weather", "get_weather", "fail"].map((tool) => [
      `tools/call ${tool}`,
      [`tools/call ${tool}`],
    ]),
  );
  for (const { server, clients } of traced) {
    expect(server.parentSpanId).toBe(CALLER);
    for (const { attributes } of [server, ...clients]) {
      expect(attributes).toMatchObject({
        "mcp.method.name": "tools/call",
        "gen_ai.operation.name": "execute_tool",
        "mcp.protocol.version": revision,
        "touchstone.server.name": "faulty",
      });
    }
    expect(server.attributes["network.transport"]).toBe(transport);
    expect(clients[0]?.attributes["network.transport"]).toBe("pipe");
    const [client = server] = clients;
    expect(BigInt(client.startTimeUnixNano)).toBeGreaterThanOrEqual(
      BigInt(server.startTimeUnixNano),
    );
    expect(BigInt(client.endTimeUnixNano)).toBeLessThanOrEqual(BigInt(server.endTimeUnixNano));
    expect(server.resource).toMatchObject({ "service.name": "touchstone" });
    expect(JSON.stringify(server.resource)).not.toMatch(/command|process\./);
  }
  const told = traced.map(({ server, clients: [client] }) => [
    server.attributes["touchstone.decision"],
    server.attributes["error.type"],
    server.status.code ?? 0,
    client?.attributes["error.type"],
  ]);
  expect(told).toEqual([
    ["allowed", undefined, 0, undefined],
    ["blocked", "tool_error", 2, undefined],
    ["allowed", "tool_error", 2, "tool_error"],
  ]);
  const recorded = (await recordsIn(dir)).filter(({ type }) => type === "tool_call");
  expect(traced.map(({ server }) => server.attributes["touchstone.request_id"])).toEqual(
    recorded.map(({ request_id }) => request_id),
  );
}

/** How often records were appended: once for each call. */
function appends(receiver: OtlpReceiver): number {
  const points = receiver.metrics().get("touchstone.activity_append.duration") ?? [];
  return points.reduce((sum, { count }) => sum + count, 0);
}

function expectMetrics(receiver: OtlpReceiver): void {
  const metrics = receiver.metrics();
  const counted = (name: string, wanted: Record<string, string>) =>
    (metrics.get(name) ?? [])
      .filter(({ attributes }) => Object.entries(wanted).every(([k, v]) => attributes[k] === v))
      .reduce((sum, { count }) => sum + count, 0);
  const weather = { "mcp.method.name": "tools/call", "gen_ai.tool.name": "get_weather" };
  expect(counted("mcp.server.operation.duration", weather)).toBe(2);
  expect(counted("mcp.client.operation.duration", weather)).toBe(2);
  expect(metrics.get("mcp.server.operation.duration")?.[0]?.unit).toBe("s");
  const blocked = { direction: "output", mode: "strict", outcome: "violation" };
  expect(counted("touchstone.validations", blocked)).toBe(1);
  expect(appends(receiver)).toBe(3);
  expect(counted("touchstone.schema_cache_entries", {})).toBeGreaterThan(0);
}

describe("a collector sees the traces and metrics of", () => {
  eachOf(
    [
      ["v1", "2025-11-25"],
      ["v2 legacy", "2025-11-25"],
      ["v2 auto", "2026-07-28"],
    ],
    1,
  )("a wrapped server and a client %s", async (sdk, revision) => {
    const receiver = await startOtlpReceiver();
    const dir = tempDir();
    const client = await wrapped(sdk, dir, otlp(receiver));
    for (const call of CALLS) await client.callTool(call).catch(() => {});
    await expect.poll(() => calls(receiver).length, WAIT).toBe(3);
    await expect.poll(() => appends(receiver), WAIT).toBe(3);
    await client.close();
    await expectTraces(receiver, revision, "pipe", dir);
    expect(calls(receiver)[0]?.server.attributes).not.toHaveProperty("mcp.session.id");
    expectMetrics(receiver);
  });

  eachOf(
    [
      ["v1", "2025-11-25", (url: URL) => v1(new HttpV1(url))],
      ["v2", "2026-07-28", (url: URL) => v2("auto", new StreamableHTTPClientTransport(url))],
    ],
    0,
  )("served servers and a client %s", async (_, revision, connect) => {
    const receiver = await startOtlpReceiver();
    const dir = tempDir();
    const { url, stop } = await served(dir, otlp(receiver));
    const client = await connect(new URL(url));
    for (const call of CALLS) await client.callTool(call).catch(() => {});
    await client.close();
    expect(await stop()).toBe(0);
    await expectTraces(receiver, revision, "tcp", dir);
    // Sessions only exist up to 2025-11-25; the session id itself is never sent.
    const session = calls(receiver)[0]?.server.attributes["mcp.session.id"];
    if (revision === "2025-11-25") expect(session).toMatch(/^sha256:[0-9a-f]{64}$/);
    else expect(session).toBeUndefined();
    expectMetrics(receiver);
  });
});

describe("activity records reach a collector that is down at first", () => {
  it("from serve, even after kill -9", long, async () => {
    const collector = await LogCollector.reserve();
    const dir = tempDir();
    const records = { telemetry: { records: true }, activity: { bodies: true } };
    const first = await served(dir, collector.env, records);
    const client = await v1(new HttpV1(new URL(first.url)));
    for (const call of CALLS) await client.callTool(call).catch(() => {});
    await first.run.seen("stderr", /the collector has not accepted activity records/);
    first.run.child.kill("SIGKILL");
    await first.run.ended;
    const kept = (await recordsIn(dir)).map(({ id }) => id);
    expect(kept.length).toBeGreaterThan(CALLS.length);
    await collector.start();
    const second = await served(dir, collector.env, records);
    await collector.until(() => kept.every((id) => collector.ids.includes(id)));
    expect(await second.stop()).toBe(0);
    const { ids, logs } = collector;
    expect(ids.slice(0, kept.length)).toEqual(kept);
    expect(logs[0]?.eventName).toBe("touchstone.system_start");
    const blocked = logs.find(({ attributes }) => attributes["touchstone.status"] === "blocked");
    expect(blocked?.attributes).toMatchObject({ "gen_ai.tool.name": "get_weather" });
    expect(JSON.stringify(logs)).not.toContain("Berlin");
  });

  it("from wrap, including the last of its records", { ...long, timeout: 180_000 }, async () => {
    const collector = await LogCollector.reserve();
    const dir = tempDir();
    const config = join(dir, "touchstone.json");
    writeFileSync(config, '{"telemetry":{"records":"bodies"},"activity":{"bodies":true}}');
    const wrap = async (): Promise<unknown> => {
      const args = ["wrap", "--config", config, "--name", "faulty", "--", process.execPath];
      const run = touchstone([...args, FAULTY_SERVER], { dataDir: dir, env: collector.env });
      const params = { name: "get_weather", arguments: { city: "Berlin" } };
      const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
      run.child.stdin.write(`${JSON.stringify(call)}\n`);
      await run.seen("stdout", /"id":1/);
      run.child.stdin.end();
      return run.ended;
    };
    expect(await wrap()).toBe(0);
    await collector.start();
    let kept: readonly string[] = [];
    // Spans that a busy machine cannot send within the 2 s of the shutdown are sent by the next run.
    for (let runs = 0; runs < 5 && (runs === 0 || collector.ids.length < kept.length); runs += 1) {
      expect(await wrap()).toBe(0);
      kept = (await recordsIn(dir)).map(({ id }) => id);
    }
    expect(kept.length).toBeGreaterThan(5);
    expect(collector.ids).toEqual(kept);
    expect(JSON.stringify(collector.logs)).toContain("Berlin");
  });
});

describe("OTLP", () => {
  it("uses protobuf by default", long, async () => {
    const receiver = await startOtlpReceiver();
    const { OTEL_EXPORTER_OTLP_ENDPOINT = "" } = otlp(receiver);
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_SERVICE_NAME: "my-gateway" };
    const client = await wrapped("v1", tempDir(), env);
    for (const call of CALLS) await client.callTool(call).catch(() => {});
    for (const part of [Buffer.from(TRACE, "hex"), "tools/call get_weather", "my-gateway"]) {
      const received = (): boolean =>
        receiver.exports.some(
          ({ path, type, body }) =>
            path === "/v1/traces" && type === "application/x-protobuf" && body.includes(part),
        );
      await expect.poll(received, WAIT).toBe(true);
    }
  });

  eachOf(
    [
      ["the sampled flag of the caller", { ...META, traceparent: `00-${TRACE}-${CALLER}-00` }, {}],
      ["the sampler of the environment", META, { OTEL_TRACES_SAMPLER: "always_off" }],
    ],
    0,
  )("respects %s", async (_, meta, env) => {
    const receiver = await startOtlpReceiver();
    const client = await wrapped("v1", tempDir(), { ...otlp(receiver), ...env });
    for (const call of CALLS) await client.callTool({ ...call, _meta: meta }).catch(() => {});
    // Spans would have been received together with the metrics for the same calls.
    await expect.poll(() => appends(receiver), WAIT).toBe(3);
    await expect.poll(() => receiver.exports.length, WAIT).toBeGreaterThan(5);
    expect(calls(receiver)).toEqual([]);
  });

  it(
    "writes nothing to stdout if the collector is unreachable or the exporter is the console",
    long,
    async () => {
      const run = touchstone(["wrap", "--name", "faulty", "--", process.execPath, FAULTY_SERVER], {
        env: {
          OTEL_TRACES_EXPORTER: "console",
          OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9",
          OTEL_LOG_LEVEL: "all",
        },
      });
      const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: INFO };
      const lines = [
        { jsonrpc: "2.0", id: 1, method: "initialize", params },
        { jsonrpc: "2.0", method: "notifications/initialized" },
        { jsonrpc: "2.0", id: 2, method: "ping" },
      ];
      for (const line of lines) run.child.stdin.write(`${JSON.stringify(line)}\n`);
      await run.seen("stdout", /"id":2/);
      run.child.stdin.end();
      expect(await run.ended).toBe(0);
      const printed = run.stdout().trimEnd().split("\n");
      expect(printed.map((line) => (JSON.parse(line) as { id: number }).id)).toEqual([1, 2]);
      expect(run.stderr()).toMatch(/telemetry: .*initialize/s);
    },
  );

  it("prints the export error even if a busy machine loads the exporter slowly", long, async () => {
    const slow = join(tempDir(), "slow.mjs");
    // Makes loading take longer than sending may take, in the thread that exports and in the other threads.
    writeFileSync(
      slow,
      `import { isMainThread } from "node:worker_threads";
       if (!isMainThread) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_500);`,
    );
    const run = touchstone(["wrap", "--name", "faulty", "--", process.execPath, FAULTY_SERVER], {
      env: { OTEL_TRACES_EXPORTER: "console", NODE_OPTIONS: `--import ${slow}` },
    });
    run.child.stdin.end(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" })}\n`);
    expect(await run.ended).toBe(0);
    expect(run.stderr()).toMatch(/telemetry: .*'ping'/);
  });

  it("loads no telemetry module by default", long, async () => {
    const probe = join(tempDir(), "probe.mjs");
    // Prints every module of these packages that is loaded, in any thread.
    writeFileSync(
      probe,
      `import { createRequire, Module } from "node:module";
       process.on("exit", () => {
         const names = Object.keys(createRequire(import.meta.url).cache);
         const found = names.filter((name) => /prom-client|opentelemetry/.test(name));
         process.stderr.write("LOADED " + found.length + "\\n");
       });`,
    );
    const loaded = async (env: Record<string, string>): Promise<number> => {
      const run = touchstone(["wrap", "--name", "f", "--", process.execPath, FAULTY_SERVER], {
        env: { NODE_OPTIONS: `--import ${probe}`, ...env },
      });
      run.child.stdin.end();
      await run.ended;
      const counts = [...run.stderr().matchAll(/LOADED (\d+)/g)].map(([, count]) => Number(count));
      expect(counts.length).toBeGreaterThan(0);
      return Math.max(...counts);
    };
    expect(await loaded({ OTEL_SERVICE_NAME: "x" })).toBe(0);
    expect(await loaded(otlp(await startOtlpReceiver()))).toBeGreaterThan(100);
  });
});
