import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parseDocument } from "yaml";
import {
  METRICS,
  prometheusLabel,
  prometheusName,
} from "../packages/gateway/src/insight/telemetry/metrics.ts";
import { OUTCOMES } from "../packages/records/src/filter.ts";

const read = (path: string): string =>
  readFileSync(new URL(`../deploy/${path}`, import.meta.url), "utf8");

interface Rules {
  readonly groups: readonly {
    readonly rules: readonly {
      readonly alert?: string;
      readonly record?: string;
      readonly expr: string;
    }[];
  }[];
}
interface Dashboard {
  readonly panels: readonly {
    readonly id: number;
    readonly title: string;
    readonly targets: readonly { readonly expr: string }[];
  }[];
  readonly templating: { readonly list: readonly { readonly query: unknown }[] };
}

const files = ["rules", "slo"].map((name) =>
  parseDocument(read(`prometheus/${name}.yaml`), { strict: true, uniqueKeys: true }),
);
const rules = files
  .flatMap((file) => (file.toJS() as Rules).groups)
  .flatMap((group) => group.rules)
  .map((rule) => ({ ...rule, name: rule.alert ?? rule.record ?? "" }));
const dashboard = JSON.parse(read("grafana/dashboard.json")) as Dashboard;

/** The labels of each series, by its name in Prometheus. */
const SERIES: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ["up", ["instance", "job"]],
  ...rules.flatMap(({ record }): [string, readonly string[]][] =>
    record === undefined ? [] : [[record, ["job"]]],
  ),
  ...Object.values(METRICS).flatMap((metric): [string, readonly string[]][] => {
    const labels = [...metric.labels.map(prometheusLabel), "instance", "job"];
    const name = prometheusName(metric);
    if (metric.kind !== "histogram") return [[name, labels]];
    return [
      [`${name}_bucket`, [...labels, "le"]],
      [`${name}_sum`, labels],
      [`${name}_count`, labels],
    ];
  }),
]);
/** Upper bounds of the buckets of each histogram. */
const BOUNDS: ReadonlyMap<string, readonly number[]> = new Map(
  Object.values(METRICS).map((metric) => [
    `${prometheusName(metric)}_bucket`,
    metric.buckets ?? [],
  ]),
);
const ALERT_OUTCOMES = ["sent", "failed", "dropped", "suppressed"];

/** Returns the names in an expression that do not exist. */
function faultsOf(expr: string): readonly string[] {
  const faults: string[] = [];
  const named = [
    ...expr.matchAll(/\b((?:touchstone|mcp)[_:][\w:]+|up)\b(?:\{([^}]*)\}|(?=\[|,|\)| ==| >))/g),
  ];
  // Labels start with the same words, so exclude them.
  const series = named.filter(
    ([, name = ""]) =>
      SERIES.has(name) ||
      name.includes(":") ||
      /_(?:total|seconds|entries|count|sum|bucket)$/.test(name),
  );
  if (series.length === 0) faults.push("names no metric");
  const labels = series.flatMap(([, name = ""]) => SERIES.get(name) ?? []);
  for (const [, name = "", matchers = ""] of series) {
    const own = SERIES.get(name);
    if (own === undefined) faults.push(`no metric ${name}`);
    for (const [, label = "", text = ""] of matchers.matchAll(
      /(\w+)\s*(?:=~|!~|!=|=)\s*"([^"]*)"/g,
    )) {
      if (own !== undefined && !own.includes(label)) faults.push(`${name} has no ${label}`);
      const known: readonly string[] = name.includes("alerts") ? ALERT_OUTCOMES : OUTCOMES;
      if (label === "le" && !BOUNDS.get(name)?.includes(Number(text))) {
        faults.push(`${name} has no bucket ${text}`);
      }
      if (label !== "outcome") continue;
      for (const value of text.split("|"))
        if (!known.includes(value)) faults.push(`no outcome ${value}`);
    }
  }
  for (const [, list = ""] of expr.matchAll(/\bby \(([^)]*)\)/g)) {
    for (const label of list.split(",").map((name) => name.trim())) {
      if (!labels.includes(label)) faults.push(`no label ${label}`);
    }
  }
  return faults;
}

describe("names of metrics, labels and outcomes", () => {
  it.each([
    ["rate(touchstone_alert_total[5m])", "no metric touchstone_alert_total"],
    ['touchstone_alerts_total{rule="x"}', "touchstone_alerts_total has no rule"],
    ['rate(touchstone_validations_total{outcome="blocked"}[5m])', "no outcome blocked"],
    ["sum by (tool) (rate(touchstone_validations_total[5m]))", "no label tool"],
    [
      "touchstone:calls_failing:ratio_rate1h > 0.1",
      "no metric touchstone:calls_failing:ratio_rate1h",
    ],
    [
      'rate(touchstone_validation_duration_seconds_bucket{le="0.2"}[5m])',
      "touchstone_validation_duration_seconds_bucket has no bucket 0.2",
    ],
    [
      "rate(mcp_server_operation_duration_seconds[5m])",
      "no metric mcp_server_operation_duration_seconds",
    ],
    ["vector(1)", "names no metric"],
  ])("are reported as wrong in %s", (expr, fault) => {
    expect(faultsOf(expr)).toEqual([fault]);
  });

  it.each(rules.map(({ name, expr }) => [name, expr]))("exist in the rule %s", (_, expr = "") => {
    expect(faultsOf(expr)).toEqual([]);
  });

  const panels = dashboard.panels.flatMap(({ title, targets }) =>
    targets.map(({ expr }) => [title, expr]),
  );
  it.each(panels)("exist in the panel %s: %s", (_, expr = "") => {
    expect(faultsOf(expr)).toEqual([]);
  });

  it("exist in the dashboard's variables, and every metric has a panel", () => {
    const variables = JSON.stringify(dashboard.templating);
    for (const [name] of variables.matchAll(/(?:touchstone|mcp)_\w+/g))
      expect(SERIES.has(name)).toBe(true);
    const shown = panels.map(([, expr]) => expr).join("\n");
    const missing = Object.values(METRICS)
      .map(prometheusName)
      .filter((name) => !shown.includes(name));
    expect(missing).toEqual([]);
  });
});

it("the rules are valid YAML with unique names", () => {
  expect(files.flatMap(({ errors, warnings }) => [...errors, ...warnings])).toEqual([]);
  const names = rules.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  const ids = dashboard.panels.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
});

const PROMTOOL = process.env["TOUCHSTONE_PROMTOOL"] ?? "promtool";
const promtool = (...args: readonly string[]) =>
  spawnSync(PROMTOOL, args, {
    cwd: fileURLToPath(new URL("../deploy/prometheus/", import.meta.url)),
    encoding: "utf8",
  });

describe.skipIf(promtool("--version").error !== undefined)("Prometheus", () => {
  it.each([
    ["check", "rules", "rules.yaml", "slo.yaml"],
    ["test", "rules", "slo.test.yaml"],
  ])("accepts %s %s %s %s", (...args) => {
    const { status, stdout, stderr } = promtool(...args.filter((word) => word !== undefined));
    expect({ status, shown: status === 0 ? "" : stdout + stderr }).toEqual({
      status: 0,
      shown: "",
    });
  });
});
