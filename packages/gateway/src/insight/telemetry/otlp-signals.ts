import { type Environment, variable } from "./variables.ts";

/** What is sent to a collector. */
export interface OtlpSignals {
  readonly traces: boolean;
  readonly metrics: boolean;
}

function wanted(env: Environment, signal: "TRACES" | "METRICS", configured: boolean): boolean {
  const exporter = variable(env, `OTEL_${signal}_EXPORTER`);
  if (exporter !== undefined) return exporter.toLowerCase() !== "none";
  const endpoint =
    variable(env, `OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`) ??
    variable(env, "OTEL_EXPORTER_OTLP_ENDPOINT");
  return configured || endpoint !== undefined;
}

/**
 * What the standard environment variables ask for: a signal is sent where an exporter or an endpoint
 * is named for it, and where the configuration says so. `OTEL_SDK_DISABLED=true` wins over all.
 * @param configured `telemetry.otlp`; with `true` nothing has to be named, with `false` nothing is sent
 */
export function otlpSignals(env: Environment, configured: boolean | undefined): OtlpSignals {
  const disabled = variable(env, "OTEL_SDK_DISABLED")?.toLowerCase() === "true";
  if (disabled || configured === false) return { traces: false, metrics: false };
  const always = configured === true;
  return { traces: wanted(env, "TRACES", always), metrics: wanted(env, "METRICS", always) };
}
