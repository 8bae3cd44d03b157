import { createRequire } from "node:module";
import { api, core, resources, tracing } from "@opentelemetry/sdk-node";
import fc from "fast-check";
import { expect, it } from "vitest";
import { exportRequest } from "./export-request.ts";
import type { Ending, OperationFact } from "./facts.ts";
import { NameLimit } from "./labels.ts";
import { type Operation, readOperation } from "./sides.ts";
import { SpanBytes } from "./span-bytes.ts";
import { makeSpans } from "./spans.ts";
import type { ServerPlace } from "./telemetry.ts";
import { traceContext } from "./trace-context.ts";

const find = createRequire(createRequire(import.meta.url).resolve("@opentelemetry/sdk-node"));
const { ProtobufTraceSerializer: theirs } = createRequire(
  find.resolve("@opentelemetry/otlp-exporter-base"),
)("@opentelemetry/otlp-transformer") as {
  ProtobufTraceSerializer: { serializeRequest(spans: readonly tracing.ReadableSpan[]): Uint8Array };
};

const SCOPE = { name: "scope", version: "1" };
const RESOURCE = resources.resourceFromAttributes({
  "service.name": "näme",
  n: 5,
  f: 0.5,
  b: true,
  minus: -7,
});

/** Ids that both ways count alike: sixteen bytes of a trace, then eight of each span. */
function ids() {
  let last = 0;
  const pool = Buffer.alloc(64);
  const hex = (bytes: number, value: number): string => value.toString(16).padStart(2 * bytes, "0");
  return {
    sdk: {
      generateTraceId: () => hex(16, 1),
      generateSpanId: () => {
        last += 1;
        return hex(8, last);
      },
    },
    own: {
      pool,
      next(bytes: number): number {
        pool.fill(0);
        const spans = bytes === 32 ? 16 : 0;
        if (spans === 16) pool[15] = 1;
        pool[spans + 7] = 1;
        pool[spans + 15] = 2;
        return 0;
      },
    },
  };
}

/** What the SDK makes and writes of an operation. */
function fromSdk(operation: Operation, place: ServerPlace): Uint8Array {
  const exporter = new tracing.InMemorySpanExporter();
  const provider = new tracing.BasicTracerProvider({
    resource: RESOURCE,
    idGenerator: ids().sdk,
    spanProcessors: [new tracing.SimpleSpanProcessor(exporter)],
  });
  const parts = {
    tracer: provider.getTracer(SCOPE.name, SCOPE.version),
    propagator: new core.W3CTraceContextPropagator(),
    root: api.ROOT_CONTEXT,
    within: (context: api.Context, span: api.Span) => api.trace.setSpan(context, span),
  };
  makeSpans(parts, operation, place, EPOCH);
  return theirs.serializeRequest(exporter.getFinishedSpans());
}

const EPOCH = 1_790_000_000_000.25;
const text = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.string({ maxLength: 300, unit: "grapheme" }),
);
const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(value, { nil: undefined });
const ending: fc.Arbitrary<Ending> = fc.oneof(
  fc.constant({}),
  fc.constant({ toolError: true }),
  fc.record({ code: fc.constantFrom(-32_603, -32_602, 4_711, 1.5), message: text }),
  fc.record({ failure: fc.constantFrom("timeout" as const, "refused" as const) }),
);
const DIGITS = "0af7651916cd43dd8448eb211c80319c";
const meta = fc.constantFrom(
  undefined,
  '{"traceparent":"broken"}',
  `{"traceparent":"00-${DIGITS}-b7ad6b7169203331-01"}`,
  `{"traceparent":"00-${DIGITS}-b7ad6b7169203331-03","tracestate":"rojo=1,b=ü,c=2"}`,
);
const took = fc.double({ min: 0, max: 1e6, noNaN: true });
const fact: fc.Arbitrary<OperationFact> = fc
  .record({
    from: fc.constantFrom("client" as const, "server" as const),
    method: fc.oneof(
      fc.constantFrom("tools/call", "prompts/get", "resources/read", "ping"),
      fc.string({ minLength: 1 }),
    ),
    target: maybe(fc.oneof(fc.constantFrom("add", "a\nb"), text)),
    known: fc.boolean(),
    uri: maybe(fc.constantFrom("file:///x", "https://u:p@h/x")),
    id: maybe(fc.constantFrom("1", '"a"', "null", `"${"x".repeat(300)}`)),
    revision: maybe(fc.constantFrom("2025-11-25", "2026-07-28", "other")),
    session: maybe(text),
    meta,
    ending,
    answer: maybe(ending),
    requestId: maybe(text),
    decision: maybe(fc.constantFrom("allowed" as const, "blocked" as const)),
    outcome: maybe(fc.constantFrom("pass" as const, "violation" as const)),
    direction: maybe(fc.constantFrom("input" as const, "output" as const)),
    times: fc.tuple(took, took, took, took),
    went: fc.boolean(),
  })
  .map(({ times: [a, b, c, d], went, ...rest }) => ({
    ...rest,
    server: "srv",
    began: a,
    ended: a + b + c + d,
    ...(went ? { sent: a + b, answered: a + b + c } : {}),
  }));
const PLACES: readonly ServerPlace[] = [
  { name: "srv", client: "pipe", upstream: { transport: "pipe" } },
  {
    name: "srv",
    client: "tcp",
    upstream: { transport: "tcp", address: "mcp.example", port: 8443 },
  },
];

it("is byte by byte what the SDK sends of the same operations", () => {
  const propagator = new core.W3CTraceContextPropagator();
  const around = exportRequest(RESOURCE, SCOPE);
  // Kept over all runs, as is what spans have in common.
  const spans = new SpanBytes(ids().own);
  const names = new NameLimit();
  fc.assert(
    fc.property(fact, fc.constantFrom(...PLACES), (told, place) => {
      const operation = readOperation(told, place, names);
      const context = traceContext(told.meta, propagator, api.ROOT_CONTEXT);
      spans.write(operation, place, EPOCH, api.trace.getSpanContext(context));
      const sent = around(spans.take());
      expect(Buffer.from(sent).toString("hex")).toBe(
        Buffer.from(fromSdk(operation, place)).toString("hex"),
      );
    }),
    { numRuns: 500 },
  );
});
