import { engineReady, SchemaCache } from "@touchstone/core";
import { nodeDeadline } from "@touchstone/core/node";
import type { TelemetrySettings } from "../config/config.ts";
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

/** How long after the first schema the engine is loaded, in milliseconds: calls take a while to come. */
const ENGINE_MS = 250;

/**
 * A cache of compiled schemas for a gateway, on which telemetry keeps an eye. With its first schema the
 * engine is loaded, not so soon that the list of tools waits for that, nor so late that calls do.
 */
export function gatewayCache(telemetry: Telemetry | undefined): SchemaCache {
  let asked = false;
  const compiled = (milliseconds: number): void => {
    if (!asked) setTimeout(() => void engineReady(), ENGINE_MS).unref();
    asked = true;
    telemetry?.compiled(milliseconds);
  };
  const cache = new SchemaCache({ deadline: nodeDeadline, compiled });
  telemetry?.watchCache(cache);
  return cache;
}
