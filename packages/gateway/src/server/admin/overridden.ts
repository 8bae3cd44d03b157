import { valueAt } from "@touchstone/core";
import { configAsFile } from "../../config/as-file.ts";
import type { GatewayConfig } from "../../config/config.ts";
import type { Change } from "../../config/edit/changes.ts";

/** The sections whose settings the command line has options for. */
const SECTIONS: ReadonlySet<string> = new Set([
  "input_validation",
  "output_validation",
  "protocol_validation",
  "policy",
]);

/**
 * Returns the settings that changes set in a file, but that have another value in the configuration made from it: an
 * option of the command line wins. Servers that the configuration does not serve are not compared.
 */
export function overriddenIn(changes: readonly Change[], config: GatewayConfig): readonly string[] {
  const compared = changes.filter(
    ({ path, value }) => isScalar(value) && SECTIONS.has(path.at(-2) ?? ""),
  );
  if (compared.length === 0) return [];
  const inForce = configAsFile(config);
  return compared.flatMap(({ path, value }) => {
    const now = valueAt(inForce, path)?.value;
    return now === undefined || now === value ? [] : [path.join(".")];
  });
}

const isScalar = (value: unknown): boolean =>
  ["string", "number", "boolean"].includes(typeof value);
