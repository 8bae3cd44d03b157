import { SchemaCache } from "@touchstone/core";
import type { TelemetrySettings } from "../../config/config.ts";
import { otlpSignals } from "./otlp-signals.ts";
import type { TelemetryOptions } from "./start.ts";
import type { Telemetry } from "./telemetry.ts";

/** What holds where nothing is configured: what OpenTelemetry's variables ask for, if anything. */
const DEFAULTS: TelemetrySettings = { metrics: false };

export type OpenOptions = Omit<TelemetryOptions, "settings"> & {
  readonly settings?: TelemetrySettings | undefined;
};

/**
 * Starts telemetry where the settings or the environment ask for it; undefined, and nothing is
 * loaded, where they do not.
 * @throws TelemetryError where the settings ask for what needs a package that is not installed
 */
export async function openTelemetry(options: OpenOptions): Promise<Telemetry | undefined> {
  const { settings = DEFAULTS, env } = options;
  const { traces, metrics } = otlpSignals(env, settings.otlp);
  if (!settings.metrics && !traces && !metrics) return undefined;
  const { startTelemetry } = await import("./start.ts");
  return startTelemetry({ ...options, settings });
}

/** Bytes of a schema that is read on the event loop: about 10 ms of work. Larger ones are read on threads. */
const READ_NOW = 32_768;

/** A cache of compiled schemas for a gateway, on which telemetry keeps an eye. */
export function gatewayCache(telemetry: Telemetry | undefined): SchemaCache {
  const cache = new SchemaCache({
    readNow: READ_NOW,
    compiled: (milliseconds) => telemetry?.compiled(milliseconds),
  });
  telemetry?.watchCache(cache);
  return cache;
}
