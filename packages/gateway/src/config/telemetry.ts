import type { TelemetrySettings } from "./config.ts";
import type { ConfigFile } from "./config-file.ts";

/** What a file says of telemetry, with the defaults for what it does not say. */
export function readTelemetry({
  metrics,
  otlp,
}: ConfigFile["telemetry"] & {} = {}): TelemetrySettings {
  return { metrics: metrics ?? false, ...(otlp === undefined ? {} : { otlp }) };
}
