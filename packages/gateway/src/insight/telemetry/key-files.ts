import { accessSync, constants } from "node:fs";
import { type Environment, variable } from "./variables.ts";

const FILES = ["CERTIFICATE", "CLIENT_CERTIFICATE", "CLIENT_KEY"];

/**
 * Tells of the files with certificates and keys that are named for the collector and cannot be read: the SDK goes on
 * without them, and says neither which one nor why.
 * @returns a sentence for each, with the variable (OpenTelemetry, OTLP Exporter Configuration)
 */
export function unreadableKeyFiles(env: Environment): readonly string[] {
  return ["", "TRACES_", "METRICS_"]
    .flatMap((signal) => FILES.map((file) => `OTEL_EXPORTER_OTLP_${signal}${file}`))
    .flatMap((name) => {
      const path = variable(env, name);
      if (path === undefined) return [];
      try {
        accessSync(path, constants.R_OK);
        return [];
      } catch (error) {
        return [`${name} is left out: ${error instanceof Error ? error.message : String(error)}`];
      }
    });
}
