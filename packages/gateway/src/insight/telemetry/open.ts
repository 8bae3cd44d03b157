import { MAX_SYNC_SCHEMA_BYTES, SchemaCache } from "@touchstone/core/advanced";
import type { TelemetrySettings } from "../../config/config.ts";
import { otlpSignals } from "./environment.ts";
import type { TelemetryOptions } from "./start.ts";
import type { Telemetry } from "./telemetry.ts";

/** The defaults: only OpenTelemetry's variables can turn signals on. */
const DEFAULTS: TelemetrySettings = { metrics: false };

export type OpenOptions = Omit<TelemetryOptions, "settings"> & {
  readonly settings?: TelemetrySettings | undefined;
};

/**
 * Starts telemetry if the settings or the environment ask for it. Returns undefined, and loads nothing, if they do not.
 * @throws TelemetryError if the settings ask for something that needs a package that is not installed
 */
export async function openTelemetry(options: OpenOptions): Promise<Telemetry | undefined> {
  const { settings = DEFAULTS, env } = options;
  const { traces, metrics, logs } = otlpSignals(env, settings);
  if (!settings.metrics && !traces && !metrics && !logs) return undefined;
  const { startTelemetry } = await import("./start.ts");
  return startTelemetry({ ...options, settings });
}

/** Returns the page at `/metrics` of a gateway without metrics: how to turn them on. */
export async function metricsOffPage(): Promise<Response> {
  const error =
    "There are no metrics: set telemetry.metrics to true in the configuration, and start the gateway again.";
  const headers = { "cache-control": "no-store", "x-content-type-options": "nosniff" };
  return Response.json({ error, code: "NOT_FOUND" }, { status: 404, headers });
}

/** Returns a cache of compiled schemas for a gateway. Telemetry counts the compilations. */
export function gatewayCache(telemetry: Telemetry | undefined): SchemaCache {
  const cache = new SchemaCache({
    readNow: MAX_SYNC_SCHEMA_BYTES,
    compiled: (milliseconds) => telemetry?.compiled(milliseconds),
  });
  telemetry?.watchCache(cache);
  return cache;
}
