import { afterEach, expect, it, vi } from "vitest";
import { startOtlp } from "./otlp.ts";

afterEach(() => void vi.unstubAllEnvs());

it.each([
  ["the short way", {}],
  ["the SDK's own way", { OTEL_TRACES_SAMPLER: "always_on" }],
])("tells of an address that is none, by %s", async (_, more: Record<string, string>) => {
  const env = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "no address", ...more };
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  const told: string[] = [];
  const signals = { traces: true, metrics: false };
  const otlp = await startOtlp(signals, "1", (level, message) => told.push(`${level} ${message}`));
  await otlp.close();
  expect(told).toContainEqual(expect.stringMatching(/^warn .*no address/));
});
