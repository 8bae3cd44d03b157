import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parseDocument } from "yaml";
import {
  METRICS,
  prometheusLabel,
  prometheusName,
} from "../packages/gateway/src/insight/telemetry/metrics.ts";
import { OUTCOMES } from "../packages/gateway/src/records/filter.ts";

const read = (path: string): string =>
  readFileSync(new URL(`../deploy/${path}`, import.meta.url), "utf8");

interface Rules {
  readonly groups: readonly {
    readonly rules: readonly { readonly alert: string; readonly expr: string }[];
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

const rules = parseDocument(read("prometheus/rules.yaml"), { strict: true, uniqueKeys: true });
const dashboard = JSON.parse(read("grafana/dashboard.json")) as Dashboard;

/** Which labels each series has, by the name that Prometheus has for it. */
const SERIES: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ["up", ["instance", "job"]],
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
const ALERT_OUTCOMES = ["sent", "failed", "dropped", "suppressed"];

/** What an expression names that there is not. */
function faultsOf(expr: string): readonly string[] {
  const faults: string[] = [];
  const named = [
    ...expr.matchAll(/\b((?:touchstone|mcp)_\w+|up)\b(?:\{([^}]*)\}|(?=\[|,|\)| ==))/g),
  ];
  // Labels begin with the same words.
  const series = named.filter(
    ([, name = ""]) =>
      SERIES.has(name) || /_(?:total|seconds|entries|count|sum|bucket)$/.test(name),
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
      "rate(mcp_server_operation_duration_seconds[5m])",
      "no metric mcp_server_operation_duration_seconds",
    ],
    ["vector(1)", "names no metric"],
  ])("of %s are found wanting", (expr, fault) => {
    expect(faultsOf(expr)).toEqual([fault]);
  });

  const { groups } = rules.toJS() as Rules;
  const alerts = groups.flatMap((group) => group.rules.map(({ alert, expr }) => [alert, expr]));
  it.each(alerts)("of the rule %s exist", (_, expr = "") => {
    expect(faultsOf(expr)).toEqual([]);
  });

  const panels = dashboard.panels.flatMap(({ title, targets }) =>
    targets.map(({ expr }) => [title, expr]),
  );
  it.each(panels)("of the panel %s exist: %s", (_, expr = "") => {
    expect(faultsOf(expr)).toEqual([]);
  });

  it("of the dashboard's variables exist, and every metric has a panel", () => {
    const variables = JSON.stringify(dashboard.templating);
    for (const [name] of variables.matchAll(/(?:touchstone|mcp)_\w+/g))
      expect(SERIES.has(name)).toBe(true);
    const shown = panels.map(([, expr]) => expr).join("\n");
    const missing = Object.values(METRICS)
      .map(prometheusName)
      .filter((name) => !shown.includes(name));
    // Nearly the same as the server's operations.
    expect(missing).toEqual(["mcp_client_operation_duration_seconds"]);
  });
});

it("the rules are YAML without a fault, and each has a name of its own", () => {
  expect([...rules.errors, ...rules.warnings]).toEqual([]);
  const names = (rules.toJS() as Rules).groups.flatMap((group) =>
    group.rules.map(({ alert }) => alert),
  );
  expect(new Set(names).size).toBe(names.length);
  const ids = dashboard.panels.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
});
