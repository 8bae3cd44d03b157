import type { GatewayConfig } from "@touchstone/gateway/config";
import { safeText } from "../terminal/safe-text.ts";

/** Packages that telemetry needs but that are not installed. */
export interface TelemetryFindings {
  /** The missing packages, each with the version that Touchstone is tested with. */
  readonly missing: readonly string[];
  /** The command that installs them. */
  readonly install: string;
  /**
   * Whether a gateway refuses to start without them; if only environment variables enable telemetry, it starts and
   * sends nothing.
   */
  readonly refuses: boolean;
}

/**
 * Returns the packages that telemetry lacks according to the configuration and the `OTEL_*` variables; undefined if
 * there are none.
 */
export async function examineTelemetry(
  { telemetry }: GatewayConfig,
  env: Readonly<Record<string, string | undefined>>,
): Promise<TelemetryFindings | undefined> {
  const { missingTelemetryPackages } = await import("@touchstone/gateway");
  const { metrics, otlp, install, refuses } = missingTelemetryPackages(telemetry, env);
  if (install === undefined) return undefined;
  return { missing: [...metrics, ...otlp], install, refuses };
}

/** Describes the findings as text for people. */
export function telemetryText({ missing, install, refuses }: TelemetryFindings): string {
  const effect = refuses
    ? "the gateway does not start"
    : "nothing is sent to the collector that OTEL_* variables name";
  return (
    `telemetry: ${missing.length === 1 ? "a package is" : `${missing.length} packages are`} not installed, so ${effect}\n` +
    `  ! run beside touchstone: ${safeText(install)}\n`
  );
}
