import { expect, it } from "vitest";
import { long } from "../../../../../core/src/testing/sample.ts";
import type { FactBatch, OperationFact } from "../facts.ts";
import { METRICS } from "../metrics.ts";
import type { ServerAddresses } from "../telemetry.ts";
import { parseMetrics } from "../testing/parse-metrics.ts";
import { countBatch } from "./count.ts";
import { LabelNameLimit } from "./labels.ts";
import { createPrometheusMetrics, MAX_SERIES } from "./prometheus.ts";
import { readOperation } from "./sides.ts";

const PLACE: ServerAddresses = { name: "srv", client: "tcp", upstream: { transport: "pipe" } };
const BATCH: FactBatch = {
  epoch: 0,
  operations: [],
  checks: [],
  appends: [],
  compiles: [],
  alerts: [],
  cached: undefined,
  dropped: 0,
};

function call(target: string, more: Partial<OperationFact> = {}): OperationFact {
  return {
    server: "srv",
    from: "client",
    method: "tools/call",
    target,
    known: true,
    began: 0,
    ended: 30,
    ending: {},
    sent: 1,
    answered: 25,
    answer: {},
    ...more,
  };
}

it("exposes every metric from the start", async () => {
  const metrics = parseMetrics(await createPrometheusMetrics().text());
  expect([...metrics.keys()].sort()).toEqual([
    "mcp_client_operation_duration_seconds",
    "mcp_server_operation_duration_seconds",
    "touchstone_activity_append_duration_seconds",
    "touchstone_alerts_total",
    "touchstone_guard_trips_total",
    "touchstone_repeated_refusals_total",
    "touchstone_schema_cache_entries",
    "touchstone_schema_compile_duration_seconds",
    "touchstone_telemetry_dropped_total",
    "touchstone_validation_duration_seconds",
    "touchstone_validations_total",
  ]);
});

it("adds up a batch, in seconds", async () => {
  const page = createPrometheusMetrics();
  const batch: FactBatch = {
    ...BATCH,
    checks: [
      {
        direction: "input",
        mode: "strict",
        outcome: "guard",
        decision: "blocked",
        rule: "guard",
        guard: "maxDepth",
        durations: [1, 3],
      },
      {
        direction: "output",
        mode: "warn",
        outcome: "skipped",
        decision: "allowed",
        rule: "none",
        guard: undefined,
        durations: [0.1],
      },
    ],
    appends: [2],
    compiles: [4],
    cached: 12,
    dropped: 3,
  };
  countBatch(page, batch, [readOperation(call('a"b\\\n'), PLACE, new LabelNameLimit())]);
  const metrics = parseMetrics(await page.text());
  const one = (name: string, suffix: string, labels: object) => {
    const found = metrics
      .get(name)
      ?.samples.filter((s) => s.name === name + suffix && matches(s.labels, labels));
    expect(found).toHaveLength(1);
    return found?.[0]?.value;
  };
  expect(
    one("touchstone_validations_total", "", {
      direction: "input",
      mode: "strict",
      outcome: "guard",
      decision: "blocked",
      rule: "guard",
    }),
  ).toBe(2);
  expect(one("touchstone_validations_total", "", { outcome: "skipped", rule: "none" })).toBe(1);
  expect(one("touchstone_validation_duration_seconds", "_sum", {})).toBeCloseTo(0.004);
  expect(one("touchstone_guard_trips_total", "", { direction: "input", guard: "maxDepth" })).toBe(
    2,
  );
  expect(one("touchstone_schema_cache_entries", "", {})).toBe(12);
  expect(one("touchstone_schema_compile_duration_seconds", "_sum", {})).toBe(0.004);
  expect(one("touchstone_activity_append_duration_seconds", "_sum", {})).toBe(0.002);
  expect(one("touchstone_telemetry_dropped_total", "", {})).toBe(3);
  const tool = { gen_ai_tool_name: 'a"b\\\n', mcp_method_name: "tools/call" };
  const operation = "mcp_server_operation_duration_seconds";
  expect(one(operation, "_sum", tool)).toBe(0.03);
  expect(one(operation, "_bucket", { ...tool, le: "0.02" })).toBe(0);
  expect(one(operation, "_bucket", { ...tool, le: "0.05" })).toBe(1);
  expect(one("mcp_client_operation_duration_seconds", "_sum", tool)).toBe(0.024);
});

function matches(labels: Readonly<Record<string, string>>, wanted: object): boolean {
  return Object.entries(wanted).every(([name, value]) => labels[name] === value);
}

it(
  "stays bounded under 10,000 tools, methods, revisions, codes and error codes",
  long,
  async () => {
    const page = createPrometheusMetrics();
    const names = new LabelNameLimit();
    const operations = [];
    for (let i = 0; i < 10_000; i += 1) {
      const code = { code: -i };
      const facts = [
        call(`tool-${i}`),
        call(`made-up-${i}`, { known: false, revision: `20${i}` }),
        call("x", { method: `method/${i}` }),
        call(`prompt-${i}`, { method: "prompts/get", ending: code, answer: code }),
      ];
      operations.push(...facts.map((fact) => readOperation(fact, PLACE, names)));
    }
    countBatch(page, BATCH, operations);
    const metric = parseMetrics(await page.text()).get("mcp_server_operation_duration_seconds");
    const series = metric?.samples.filter(({ name }) => name.endsWith("_count")) ?? [];
    expect(series.length).toBeLessThan(500);
    expect(series.reduce((sum, { value }) => sum + value, 0)).toBe(40_000);
    const tools = new Set(series.map(({ labels }) => labels["gen_ai_tool_name"]));
    expect(tools.size).toBe(202);
  },
);

it("counts everything over the series limit in one series", async () => {
  const page = createPrometheusMetrics();
  for (let i = 0; i < MAX_SERIES + 50; i += 1) {
    page.note(METRICS.guardTrips, 1, { direction: "input", guard: `g${i}` });
  }
  const metric = parseMetrics(await page.text()).get("touchstone_guard_trips_total");
  expect(metric?.samples).toHaveLength(MAX_SERIES + 1);
  expect(metric?.samples.find(({ labels }) => "otel_metric_overflow" in labels)?.value).toBe(50);
});
