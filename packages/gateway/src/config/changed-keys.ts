import { isDeepStrictEqual } from "node:util";
import type { GatewayConfig } from "./config.ts";
import { configAsFile } from "./config-to-file.ts";

/**
 * Returns the keys of `touchstone.json` in which two configurations differ, such as `activity.store`.
 *
 * @param among the only keys to compare, each a section (`telemetry`) or a key of one (`activity.store`)
 */
export function changedKeys(
  before: GatewayConfig,
  after: GatewayConfig,
  among: readonly string[],
): readonly string[] {
  const [old, now] = [keysOf(before), keysOf(after)];
  const isMeant = (key: string) => among.some((of) => key === of || key.startsWith(`${of}.`));
  return [...new Set([...old.keys(), ...now.keys()])].filter(
    (key) => isMeant(key) && !isDeepStrictEqual(old.get(key), now.get(key)),
  );
}

/** Values by `SECTION.KEY`. */
function keysOf(config: GatewayConfig): ReadonlyMap<string, unknown> {
  const { mcpServers: _, ...file } = configAsFile(config);
  const keys = new Map<string, unknown>();
  for (const [section, value] of Object.entries(file)) {
    for (const [key, each] of Object.entries(value ?? {})) keys.set(`${section}.${key}`, each);
  }
  return keys;
}
