import { EventEmitter, once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { api, core, resources } from "@opentelemetry/sdk-node";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { directSpans, isDirect } from "./direct-spans.ts";
import type { OperationFact } from "./facts.ts";
import { NameLimit } from "./labels.ts";
import { readOperation } from "./sides.ts";
import type { ServerPlace } from "./telemetry.ts";

const PLACE: ServerPlace = { name: "srv", client: "pipe", upstream: { transport: "pipe" } };
const TRACE = "0af7651916cd43dd8448eb211c80319c";
const meta = (flags: string): string => `{"traceparent":"00-${TRACE}-b7ad6b7169203331-${flags}"}`;

/** Spans to a collector that answers with a status; what it got, and what was told. */
async function direct(status: number, env: Readonly<Record<string, string>> = {}) {
  const bodies: Buffer[] = [];
  const types: (string | undefined)[] = [];
  const arrivals = new EventEmitter();
  const server = createServer((request, response) => {
    types.push(request.headers["content-type"]);
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      bodies.push(Buffer.concat(parts));
      arrivals.emit("request");
      response.writeHead(status).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
    vi.unstubAllEnvs();
  });
  const { port } = server.address() as AddressInfo;
  vi.stubEnv("OTEL_EXPORTER_OTLP_ENDPOINT", `http://127.0.0.1:${port}`);
  const warnings: string[] = [];
  const spans = directSpans({
    env,
    sdk: { api, core },
    resource: resources.resourceFromAttributes({ "service.name": "mine" }),
    scope: { name: "scope", version: "1" },
    warn: (message) => warnings.push(message),
  });
  const names = new NameLimit();
  const add = (more: Partial<OperationFact>): void => {
    const fact: OperationFact = {
      server: "srv",
      from: "client",
      method: "ping",
      known: false,
      began: 1,
      ended: 2,
      ending: {},
      ...more,
    };
    spans.add(readOperation(fact, PLACE, names), PLACE, 0);
  };
  return { spans, add, arrivals, bodies, types, warnings };
}

describe("spans go to the collector", () => {
  it("at once where no more may wait than fit into no full batch", async () => {
    const { spans, add, arrivals, bodies } = await direct(200, {
      OTEL_BSP_MAX_QUEUE_SIZE: "1",
      OTEL_BSP_SCHEDULE_DELAY: "600000",
    });
    const arrived = once(arrivals, "request");
    add({ id: "1001" });
    await arrived;
    expect(bodies).toHaveLength(1);
    await spans.close();
  });

  it("with what they are from, those of a trace that is kept", async () => {
    const { spans, add, bodies, types, warnings } = await direct(200);
    add({ id: "1001", meta: meta("01") });
    add({ id: "1002", meta: meta("00") });
    add({ id: "1003", meta: '{"traceparent":"00-broken"}' });
    await spans.close();
    expect(types).toEqual(["application/x-protobuf"]);
    const [body = Buffer.alloc(0)] = bodies;
    expect(["mine", "scope", "1001", "1003"].every((part) => body.includes(part))).toBe(true);
    expect(body.includes("1002")).toBe(false);
    expect(body.indexOf(Buffer.from(TRACE, "hex"))).toBeGreaterThan(0);
    expect(body.indexOf(Buffer.from(TRACE, "hex"))).toBe(
      body.lastIndexOf(Buffer.from(TRACE, "hex")),
    );
    expect(warnings).toEqual([]);
  });

  it("or it is told that they are lost", async () => {
    const { spans, add, warnings } = await direct(400);
    add({});
    await spans.close();
    expect(warnings).toEqual([expect.stringMatching(/^spans could not be sent: .*Bad Request/)]);
  });
});

describe("the short way is taken", () => {
  it.each<[Record<string, string>, boolean]>([
    [{}, true],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: "http://x", OTEL_TRACES_EXPORTER: "otlp" }, true],
    [{ OTEL_EXPORTER_OTLP_PROTOCOL: "http/protobuf", OTEL_TRACES_SAMPLER: " " }, true],
    [{ OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }, false],
    [{ OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: "http/json" }, false],
    [{ OTEL_TRACES_EXPORTER: "console" }, false],
    [{ OTEL_TRACES_SAMPLER: "always_off" }, false],
    [{ OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT: "10" }, false],
  ])("with %j: %s", (env, wanted) => {
    expect(isDirect(env)).toBe(wanted);
  });
});
