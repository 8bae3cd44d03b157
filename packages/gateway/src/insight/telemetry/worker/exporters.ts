import { createRequire } from "node:module";
import type { Environment } from "../../../config/variables.ts";
import { exportersFor, type Signal } from "../environment.ts";

/** The creator of spans, metrics and records (OpenTelemetry, Instrumentation Scope). */
export const INSTRUMENTATION_SCOPE = "@touchstone/gateway";

/** Makes the exporters that the variables name for a signal. They read their own settings. */
export function openExporters<Exporter>(
  env: Environment,
  signal: Signal,
  warn: (message: string) => void,
): readonly Exporter[] {
  const load = createRequire(import.meta.url);
  return exportersFor(env, signal, warn).map((choice) => {
    const loaded = load(choice.package) as Readonly<Record<string, new () => Exporter>>;
    const Made = loaded[choice.exported];
    if (Made === undefined) throw new Error(`${choice.package} has no ${choice.exported}`);
    return new Made();
  });
}
