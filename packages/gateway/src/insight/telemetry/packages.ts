import { createRequire } from "node:module";
import { TouchstoneError } from "@touchstone/util";
import type { TelemetrySettings } from "../../config/config.ts";
import type { Environment } from "../../config/variables.ts";
import { exportersFor, otlpSignals, type Signal } from "./environment.ts";

/** Why telemetry cannot start. */
export const TELEMETRY_ERRORS = {
  PACKAGE_MISSING: [500, "Telemetry is configured, and a package that it needs is not installed"],
} as const;

/** Telemetry is configured, but a required package is not installed. */
export class TelemetryError extends TouchstoneError<keyof typeof TELEMETRY_ERRORS> {
  constructor(message: string) {
    super("TelemetryError", TELEMETRY_ERRORS, "PACKAGE_MISSING", message);
  }
}

const PROMETHEUS = "prom-client";
const API = "@opentelemetry/api";
const RESOURCES = "@opentelemetry/resources";

/** OpenTelemetry's SDK of each signal. */
const SDKS: Readonly<Record<Signal, string>> = {
  traces: "@opentelemetry/sdk-trace-base",
  metrics: "@opentelemetry/sdk-metrics",
  logs: "@opentelemetry/sdk-logs",
};

/** The versions that Touchstone is tested with. Those of the exporters are in {@link EXPORTERS}. */
const VERSIONS: ReadonlyMap<string, string> = new Map([
  [PROMETHEUS, "15.1.3"],
  [API, "1.9.1"],
  [RESOURCES, "2.12.0"],
  [SDKS.traces, "2.12.0"],
  [SDKS.metrics, "2.12.0"],
  [SDKS.logs, "0.223.0"],
  ["@opentelemetry/exporter-zipkin", "2.12.0"],
]);
const EXPORTERS = "0.223.0";

/** Resolves a package, or throws. */
export type ResolvePackage = (name: string) => unknown;

/** Required packages that are not installed with Touchstone. */
export interface MissingPackages {
  /** `prom-client`, if `telemetry.metrics` is on and it is missing. */
  readonly metrics: readonly string[];
  /** Missing packages of OpenTelemetry's SDK, with versions. */
  readonly otlp: readonly string[];
  /** How to install all of them; absent if nothing is missing. */
  readonly install?: string;
  /** Whether a gateway fails to start without them. */
  readonly refuses: boolean;
}

/** Returns the setting that turns OTLP on; undefined if only variables may do so. */
export function otlpSettingName({ otlp, records = false }: TelemetrySettings): string | undefined {
  if (otlp === true) return "telemetry.otlp is true";
  return records === false ? undefined : `telemetry.records is ${records}`;
}

/**
 * Returns the packages that the settings and the environment require and that are not installed.
 * @param resolve defaults to this module's import resolution
 */
export function missingTelemetryPackages(
  settings: TelemetrySettings,
  env: Environment,
  resolve: ResolvePackage = createRequire(import.meta.url).resolve,
): MissingPackages {
  const missing = (names: readonly string[]): readonly string[] =>
    [...new Set(names)].filter((name) => !isInstalled(name, resolve)).map(withVersion);
  const metrics = missing(settings.metrics ? [PROMETHEUS] : []);
  const otlp = missing(otlpPackages(settings, env));
  const all = [...metrics, ...otlp];
  const refuses =
    metrics.length > 0 || (otlp.length > 0 && otlpSettingName(settings) !== undefined);
  return { metrics, otlp, refuses, ...(all.length === 0 ? {} : { install: installCommand(all) }) };
}

/** Returns the command that installs packages beside Touchstone. */
export function installCommand(packages: readonly string[]): string {
  return `npm install ${packages.join(" ")}`;
}

function otlpPackages(settings: TelemetrySettings, env: Environment): readonly string[] {
  const signals = otlpSignals(env, settings);
  const sent = (Object.keys(SDKS) as Signal[]).filter((signal) => signals[signal]);
  if (sent.length === 0) return [];
  const own = sent.flatMap((signal) => [
    SDKS[signal],
    ...exportersFor(env, signal).map((exporter) => exporter.package),
  ]);
  return [API, RESOURCES, ...own];
}

function withVersion(name: string): string {
  return `${name}@${VERSIONS.get(name) ?? EXPORTERS}`;
}

function isInstalled(name: string, resolve: ResolvePackage): boolean {
  try {
    resolve(name);
    return true;
  } catch {
    return false;
  }
}
