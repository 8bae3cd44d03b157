import { metrics, resources } from "@opentelemetry/sdk-node";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Labels, METRICS, type MetricSink } from "./metrics.ts";
import { metricSink } from "./otlp.ts";
import { isCountedHere, TallyProducer } from "./otlp-metrics.ts";

const SCOPE = { name: "scope", version: "1" };
const RESOURCE = resources.emptyResource();

class Reader extends metrics.MetricReader {
  protected override onShutdown = async (): Promise<void> => {};
  protected override onForceFlush = async (): Promise<void> => {};
}

/** The same notes, counted by the SDK's instruments and here. */
async function both(note: (sink: MetricSink) => void) {
  const producer = new TallyProducer(metrics, SCOPE);
  const reader = new Reader();
  const provider = new metrics.MeterProvider({ readers: [reader] });
  note(producer);
  note(metricSink(provider.getMeter(SCOPE.name, SCOPE.version)));
  const theirs = (await reader.collect()).resourceMetrics.scopeMetrics;
  await provider.shutdown();
  return {
    own: plain(producer.collect(RESOURCE).resourceMetrics.scopeMetrics),
    theirs: plain(theirs),
  };
}

/** All but the clock's part of it. */
const plain = (told: readonly metrics.ScopeMetrics[]) =>
  told.map(({ scope: { name, version }, metrics: all }) => ({
    scope: { name, version },
    metrics: all.map(({ descriptor, dataPoints, ...rest }) => ({
      ...rest,
      name: descriptor.name,
      unit: descriptor.unit,
      description: descriptor.description,
      valueType: descriptor.valueType,
      points: (dataPoints as readonly metrics.DataPoint<unknown>[]).map(
        ({ attributes, value, startTime, endTime }) => {
          expect(startTime[0] > 1e9 && endTime[0] >= startTime[0]).toBe(true);
          return { attributes, value };
        },
      ),
    })),
  }));

const labels: fc.Arbitrary<Labels> = fc.dictionary(
  fc.constantFrom("a", "b", "server.port"),
  fc.oneof(fc.constantFrom("x", 'y"\n', ""), fc.integer({ min: 1, max: 3 })),
);
const noted = fc.tuple(
  fc.constantFrom(...Object.values(METRICS)),
  fc.oneof(fc.constantFrom(0, 0.01, 0.1, 1, 300), fc.double({ min: 0, max: 1e3, noNaN: true })),
  labels,
);

describe("what is counted here", () => {
  it("is what the SDK's instruments count", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(noted, { maxLength: 30 }), async (all) => {
        const { own, theirs } = await both((sink) => {
          for (const [metric, value, of] of all) sink.note(metric, value, of);
          // The very same objects again.
          for (const [metric, value, of] of all) sink.note(metric, value, of);
        });
        if (all.length > 0) expect(own).toEqual(theirs);
        else expect([own[0]?.metrics, theirs]).toEqual([[], []]);
      }),
    );
  });

  it("is one series in whatever order its labels come", async () => {
    const { own, theirs } = await both((sink) => {
      sink.note(METRICS.guardTrips, 1, { a: "x", b: 2 });
      sink.note(METRICS.guardTrips, 1, { b: 2, a: "x" });
    });
    expect(own).toEqual(theirs);
    expect(own[0]?.metrics[0]?.points).toHaveLength(1);
  });

  it("is bounded as theirs is", async () => {
    const { own, theirs } = await both((sink) => {
      for (let i = 0; i < 2_050; i += 1) sink.note(METRICS.appendDuration, i, { i });
    });
    expect(own).toEqual(theirs);
    expect(own[0]?.metrics[0]?.points).toHaveLength(2_000);
  });
});

describe("metrics are counted here", () => {
  it.each<[Record<string, string>, boolean]>([
    [{}, true],
    [{ OTEL_METRICS_EXPORTER: "otlp", OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }, true],
    [{ OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE: "Cumulative" }, true],
    [{ OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE: "delta" }, false],
    [{ OTEL_METRICS_EXPORTER: "console" }, false],
    [{ OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: "carrier/pigeon" }, false],
  ])("with %j: %s", (env, wanted) => {
    expect(isCountedHere(env)).toBe(wanted);
  });
});
